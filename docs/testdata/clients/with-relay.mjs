import { getNamedType } from "graphql";
import { ConnectionHandler, fetchQuery } from "relay-runtime";
import { fail } from "./fail.mjs";
import { same } from "./same.mjs";
import { schema } from "./schema.mjs";
import ReviewsQuery from "./src/__generated__/ReviewsQuery.graphql.js";
import { environment } from "./src/environment.js";

const filters = { language: null, ratings: [1, 2, 3, 4], filter: null, orderBy: null };
const load = (variables) => fetchQuery(environment, ReviewsQuery, { id: "42", ...filters, ...variables }).toPromise();
const codes = (errors) => errors.map((e) => e.extensions.code);

const first = await load({});
same("the first page", [first.product.comments.totalCount, first.product.comments.edges.length], [40, 20]);

const connection = (other) => {
  let found;
  environment.commitUpdate((store) => {
    const product = store.getRoot().getLinkedRecord("product", { id: "42" });
    const record = ConnectionHandler.getConnection(product, "Reviews_comments", { ...filters, ...other });
    found = record && {
      edges: record.getLinkedRecords("edges").length,
      first: record.getLinkedRecords("edges")[0].getLinkedRecord("node").getValue("rating"),
      end: record.getLinkedRecord("pageInfo").getValue("endCursor"),
      more: record.getLinkedRecord("pageInfo").getValue("hasNextPage"),
    };
  });
  return found;
};
same("more", connection().more, true);

await fail("comments", "stats");
const failed = await load({ after: connection().end }).catch((e) => e);
same("a page that fails", [failed.codes, failed.errors && codes(failed.errors)], [["UNAVAILABLE", "UNAVAILABLE"], ["UNAVAILABLE", "UNAVAILABLE"]]);
same("what was loaded before it", [connection()?.edges, connection()?.more], [20, true]);

await fail("stats", "totalCount");
const beside = await load({ after: connection().end });
same("errors beside a page", [beside.product.stats.ok, codes(beside.product.stats.errors)], [false, ["UNAVAILABLE"]]);
same("both pages", [connection().edges, connection().more], [40, false]);

const lowest = { orderBy: { field: "RATING", direction: "ASC" } };
await load(lowest);
same("another order", [connection(lowest).edges, connection(lowest).first], [20, 1]);
const size = { filter: { attributes: [{ key: "size", equals: ["M"] }] } };
await load(size);
same("a filter by an attribute", connection(size).edges, 14);
same("the first list, still", connection().edges, 40);

const wrong = await load({ ratings: [9] });
same("a page that was refused", [wrong.product.comments, wrong.product.stats.value.totalCount], [null, 50]);

// Every list of the schema is known to be one.
const lists = new Set(["node"]);
for (const type of Object.values(schema.getTypeMap())) {
  for (const field of Object.values(type.getFields?.() ?? {})) {
    if (getNamedType(field.type).name.endsWith("Connection")) lists.add(field.name);
  }
}
for (const name of lists) {
  const errors = [{ message: "no", path: [name] }];
  globalThis.fetch = async () => Response.json({ data: { [name]: null }, errors });
  const request = { id: "1", metadata: {}, name: "Next", operationKind: "query" };
  const refused = await environment.getNetwork().execute(request, { after: "1" }, {}).toPromise().then(() => false, () => true);
  same(`a further page of ${name} that is null is refused`, refused, true);
}
