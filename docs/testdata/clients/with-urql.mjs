import { gql } from "@urql/core";
import { getNamedType, getNullableType, isInterfaceType, isListType, isObjectType, isRequiredArgument } from "graphql";
import { fail } from "./fail.mjs";
import { same } from "./same.mjs";
import { schema } from "./schema.mjs";
import { client } from "./urql.mjs";

const warnings = [];
console.warn = (text) => warnings.push(text);

const query = gql`
  query ($language: String, $filter: CommentFilter, $orderBy: CommentOrder, $after: String) {
    product(id: "42") {
      id
      stats {
        totalCount
      }
      comments(first: 20, after: $after, language: $language, filter: $filter, orderBy: $orderBy) {
        edges {
          node {
            id
            commentId
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  }
`;
const load = (variables) => client.query(query, variables).toPromise();
const ask = async (variables) => {
  const { data, error } = await load(variables);
  same("an error", error?.message, undefined);
  return data.product.comments;
};
const list = async (variables) => {
  const { edges } = await ask(variables);
  return [edges.length, edges[0].node.commentId];
};
const codes = ({ error }) => error?.graphQLErrors.map((e) => e.extensions.code);

for (const start of [{}, { language: "de", after: null }]) {
  const first = await ask(start);
  same("a page", [first.edges.length, first.pageInfo.hasNextPage], [20, true]);
  const next = { ...start, after: first.pageInfo.endCursor };
  await fail("comments", "stats");
  const failed = await load(next);
  same("a page that fails", codes(failed), ["UNAVAILABLE", "UNAVAILABLE"]);
  same("what was loaded before it", failed.data.product.comments?.edges.length, 20);
  same("two pages", (await ask(next)).edges.length, start.language ? 25 : 40);
}
same("another order", await list({ orderBy: { field: "CREATED_AT", direction: "ASC" } }), [20, "c000"]);
same("a filter by an attribute", await list({ filter: { attributes: [{ key: "size", equals: ["M"] }] } }), [17, "c048"]);
await fail("stats");
const beside = await load({ orderBy: { field: "RATING", direction: "ASC" } });
same("an error beside a page", [beside.data.product.comments.edges.length, codes(beside)], [20, ["UNAVAILABLE"]]);

// All types of the schema arrive without a warning: each once with all its fields.
const seen = new Set();
function whole(type) {
  const data = { __typename: type.name };
  const fields = Object.values(type.getFields());
  if (fields.some((f) => f.name === "id")) data.id = "1";
  if (seen.has(type.name)) return [`{ __typename ${data.id ? "id" : ""} }`, data];
  seen.add(type.name);
  let selection = "__typename";
  for (const { name, args, type: of } of fields) {
    const result = getNamedType(of);
    if (isInterfaceType(result)) continue;
    const [inner, value] = isObjectType(result) ? whole(result) : ["", name];
    const given = args.filter(isRequiredArgument).map((a) => `${a.name}: "1"`);
    selection += ` ${name}${given.length ? `(${given})` : ""} ${inner}`;
    data[name] = isListType(getNullableType(of)) ? [value] : value;
  }
  return [`{ ${selection} }`, data];
}
for (const operation of ["Query", "Mutation"]) {
  const [selection, data] = whole(schema.getType(operation));
  globalThis.fetch = async () => Response.json({ data });
  await client[operation.toLowerCase()](gql(`${operation.toLowerCase()} ${selection}`), {}, { requestPolicy: "network-only" }).toPromise();
}
const types = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type) && !type.name.startsWith("__"));
same("types that were not asked for", types.map((type) => type.name).filter((name) => !seen.has(name)), []);
same("warnings", warnings, []);
