// node highs.cjs MODULE SECONDS FILE.lp...
// Solves each file with HiGHS (the npm package `highs`) and prints "objective<tab>status" for it.
const fs = require("fs");

const [modulePath, seconds, ...files] = process.argv.slice(2);

async function main() {
  const highs = await require(modulePath)();
  for (const file of files) {
    const result = highs.solve(fs.readFileSync(file, "utf8"), {
      output_flag: false,
      time_limit: Number(seconds),
      mip_rel_gap: 0,
      mip_abs_gap: 1e-7,
      mip_feasibility_tolerance: 1e-9,
    });
    console.log(`${result.ObjectiveValue}\t${result.Status}`);
  }
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
