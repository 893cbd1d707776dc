// node highs_solution.cjs MODULE FILE raw|pretty
// Solves an .mps or .lp file with HiGHS (the npm package `highs`) and prints its solution file.
const fs = require("fs");

const [modulePath, file, style] = process.argv.slice(2);

async function main() {
  const highs = await require(modulePath)();
  const bytes = fs.readFileSync(file);
  const model = file.endsWith(".lp")
    ? { format: "lp", data: bytes.toString() }
    : { format: "mps", data: new Uint8Array(bytes) };
  const text = highs.withModel(model, (solver) => {
    solver.options.set({ output_flag: false });
    solver.run();
    return solver.exportSolution(style === "pretty");
  });
  process.stdout.write(text);
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
