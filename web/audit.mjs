// Runs the GraphQL over HTTP audits of the package graphql-http against a
// server and prints one JSON object: how many there were, and those that the
// server does not pass.
//
//   node web/audit.mjs http://127.0.0.1:8080/graphql
import { auditServer } from "graphql-http";

const [url] = process.argv.slice(2);
if (!url) {
  console.error("usage: node audit.mjs URL");
  process.exit(2);
}
const results = await auditServer({ url });
const failed = results
  .filter((result) => result.status !== "ok")
  .map(({ id, name, status, reason }) => ({ id, name, status, reason }));
console.log(JSON.stringify({ audits: results.length, failed }));
