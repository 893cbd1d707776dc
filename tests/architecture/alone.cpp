// Linked with all of one library and the libraries that it may use, and with nothing else.
int main() {}
