# Every dependency is a Debian package; nothing is downloaded. README.md says why each is here.
find_package(PkgConfig REQUIRED)
pkg_check_modules(CBC REQUIRED IMPORTED_TARGET cbc)
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip)
find_package(nlohmann_json 3.11 CONFIG REQUIRED)
find_package(fmt CONFIG REQUIRED)
find_package(spdlog CONFIG REQUIRED)
find_package(CLI11 CONFIG REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
