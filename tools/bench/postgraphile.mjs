// Serves comments by PostGraphile, for `bench --parts peer`. docs/benchmarks.md has the commands.
//
//   node postgraphile.mjs postgres://USER@127.0.0.1:PORT/DATABASE COMMENTS.ndjson REQUESTS.ndjson
//
// It replaces the tables product and comment of the database, and serves with two processes until it is
// stopped. Counts are columns of a product, so they cost one row. Node 22 or later.

import cluster from "node:cluster";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import pg from "pg";
import { postgraphile } from "postgraphile";
import { makePgService } from "postgraphile/adaptors/pg";
import { grafserv } from "postgraphile/grafserv/node";
import { PostGraphileAmberPreset } from "postgraphile/presets/amber";
import { PostGraphileConnectionFilterPreset } from "postgraphile-plugin-connection-filter";

const [database, file, requests] = process.argv.slice(2);
const url = "http://127.0.0.1:5678/graphql";
const products = 8; // as bench takes from a file, those with the most comments
const pages = 15;

async function load() {
  const db = new pg.Client(database);
  await db.connect();
  await db.query(`drop table if exists comment, product;
    create table comment (comment_id text primary key, product_id text not null, rating int not null, language text not null,
      title text, text text, author text, created_at timestamptz not null, attributes jsonb)`);
  const comments = readFileSync(file, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
  for (let i = 0; i < comments.length; i += 1000) {
    await db.query(`insert into comment select "commentId", "productId", rating, language, title, text, author, "createdAt", attributes
      from json_to_recordset($1) as c("commentId" text, "productId" text, rating int, language text, title text, text text, author text,
      "createdAt" timestamptz, attributes jsonb)`, [JSON.stringify(comments.slice(i, i + 1000))]);
  }
  await db.query(`create table product as select product_id as id, count(*)::int as total,
      ${[1, 2, 3, 4, 5].map((r) => `(count(*) filter (where rating = ${r}))::int as r${r}`)} from comment group by 1;
    alter table product add primary key (id);
    create index on comment (product_id, created_at desc, comment_id desc);
    create index on comment (product_id, rating, created_at desc, comment_id desc)`);
  await db.query("analyze");
  const { rows } = await db.query("select id from product order by total desc, id limit $1", [products]);
  await db.end();
  return rows.map((row) => row.id);
}

async function serve() {
  const server = createServer();
  const pool = new pg.Pool({ connectionString: database, max: 20 });
  await postgraphile({
    extends: [PostGraphileAmberPreset, PostGraphileConnectionFilterPreset],
    pgServices: [makePgService({ pool, schemas: ["public"] })],
    grafserv: { graphiql: false },
    grafast: { explain: false },
  }).createServ(grafserv).addTo(server);
  server.listen(5678, "127.0.0.1");
}

// ask tries for as long as the servers take to start.
async function ask(body) {
  for (let tries = 0; ; tries++) {
    try {
      const answer = await fetch(url, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
      const { data, errors } = await answer.json();
      if (errors) throw new Error(JSON.stringify(errors), { cause: "answered" });
      return data;
    } catch (error) {
      if (tries === 60 || error.cause === "answered") throw error;
      await new Promise((done) => setTimeout(done, 500));
    }
  }
}

async function list(ids) {
  const page = (before, filter) => `query Page($product: String!, $first: Int, $after: Cursor) { ${before}
    comments: allComments(first: $first, after: $after, condition: { productId: $product }, ${filter} orderBy: [CREATED_AT_DESC, COMMENT_ID_DESC]) {
      nodes { commentId rating language title text author createdAt } pageInfo { hasNextPage endCursor } } }`;
  const lines = [];
  for (const [list, query] of [
    ["no filter", page("", "")],
    ["ratings 1, 4, 5", page("", "filter: { rating: { in: [1, 4, 5] } }")],
    ["product page", page("product: productByRowId(rowId: $product) { total r1 r2 r3 r4 r5 }", "")],
  ]) {
    for (const product of ids) {
      for (let n = 0, after; n < pages; n++) {
        const body = { query, variables: { product, first: 20, after } };
        lines.push(JSON.stringify({ list, url, body }));
        const { pageInfo } = (await ask(body)).comments;
        if (!pageInfo.hasNextPage) break;
        after = pageInfo.endCursor;
      }
    }
  }
  writeFileSync(requests, lines.join("\n") + "\n");
}

if (cluster.isPrimary) {
  const ids = await load();
  cluster.fork();
  cluster.fork();
  await list(ids);
  console.log(`${requests} is written; serving at ${url}`);
} else {
  await serve();
}
