// Checks the English of what people read: the schema's descriptions, the program's
// messages and the documentation. write-good finds wordy phrases, cliches and doubled
// words; stop.txt has the words that the glossary replaces. Prints what it finds, and
// ends with status 1 if that is anything.
//
//   node web/style.mjs
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import writeGood from "write-good";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

// Descriptions and messages are often passive and never use "I"; adverbs such as "only"
// and phrases such as "there is" are needed to be exact.
const checks = { passive: false, adverb: false, eprime: false, weasel: false, thereIs: false, so: false };

const [stops, allowed] = ["# stop", "# allow"].map((part) => section(read("web/stop.txt"), part));
const stop = new RegExp(`\\b(${stops.join("|")})\\b`, "gi");

function read(path) {
  return readFileSync(join(root, path), "utf8");
}

// section returns the lines between a heading of stop.txt and the next one.
function section(text, heading) {
  const lines = text.split("\n");
  const from = lines.indexOf(heading) + 1;
  const to = lines.findIndex((line, at) => at >= from && line.startsWith("# "));
  return lines.slice(from, to < 0 ? undefined : to).filter((line) => line !== "");
}

// blank replaces what a pattern matches by dots, so that lines keep their numbers and
// what comes before is not joined with what comes after.
function blank(text, pattern) {
  return text.replace(pattern, (match) => match.replace(/[^\n]/g, "·"));
}

// prose leaves the sentences of a file: no code, no links' addresses, no tables' borders.
function prose(path) {
  const text = read(path);
  if (path.endsWith(".graphqls")) {
    const kept = text.replace(/"""[^]*?"""|^\s*"[^\n]*"$|[^\n]/gm, (match) => (match.length > 1 ? match.replace(/"/g, " ") : " "));
    return blank(kept, /`[^`\n]*`/g);
  }
  let out = blank(text, /^```[^]*?^```/gm);
  if (path.endsWith(".txt")) out = blank(out, /%(?:\[\d\])?[.\d]*[a-z]|^  /gm); // a message a line
  out = blank(out, /`[^`\n]*`/g);
  out = blank(out, /\]\([^)\n]*\)/g);
  return blank(out, /<!--[^]*?-->/g).replace(/\|/g, ".");
}

let found = 0;
const files = ["schema.graphqls", "internal/testing/messages/messages.txt", "README.md", "CONTRIBUTING.md", "examples/README.md", "clients/typescript/README.md", "SECURITY.md", "CODE_OF_CONDUCT.md"];
files.push(...readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md") && name !== "licences.md").map((name) => `docs/${name}`));
for (const path of files) {
  const text = prose(path);
  const hits = writeGood(text, checks).map(({ index, offset, reason }) => ({ index, phrase: text.slice(index, index + offset), reason }));
  for (const match of text.matchAll(stop)) {
    hits.push({ index: match.index, phrase: match[0], reason: "is not a word of the glossary" });
  }
  for (const { index, phrase, reason } of hits.sort((a, b) => a.index - b.index)) {
    if (allowed.includes(phrase.replace(/\s+/g, " ").toLowerCase())) continue;
    const line = text.slice(0, index).split("\n").length;
    console.log(`${path}:${line}: ${JSON.stringify(phrase.replace(/\s+/g, " "))} ${reason.replace(/^"[^"]*" /, "")}`);
    found++;
  }
}
if (found > 0) {
  console.error(`${found} phrases: write them plainly, or add an exception to web/stop.txt`);
  process.exit(1);
}
