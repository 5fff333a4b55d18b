// same ends the script unless two values are the same.
export function same(what, got, want) {
  if (JSON.stringify(got) !== JSON.stringify(want)) {
    console.log(`${what}: got ${JSON.stringify(got)}, want ${JSON.stringify(want)}`);
    process.exit(1);
  }
}
