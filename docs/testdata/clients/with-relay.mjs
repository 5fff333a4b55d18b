import { ConnectionHandler, fetchQuery } from "relay-runtime";
import { environment } from "./src/environment.js";
import ReviewsQuery from "./src/__generated__/ReviewsQuery.graphql.js";
import { same } from "./same.mjs";

const filters = { language: null, ratings: [1, 2, 4] };
const load = (variables) => fetchQuery(environment, ReviewsQuery, { id: "42", ...filters, ...variables }).toPromise();

const first = await load({});
same("the first page", [first.product.comments.totalCount, first.product.comments.edges.length], [30, 20]);

const connection = () => {
  let found;
  environment.commitUpdate((store) => {
    const product = store.getRoot().getLinkedRecord("product", { id: "42" });
    const record = ConnectionHandler.getConnection(product, "Reviews_comments", filters);
    found = {
      edges: record.getLinkedRecords("edges").length,
      end: record.getLinkedRecord("pageInfo").getValue("endCursor"),
      more: record.getLinkedRecord("pageInfo").getValue("hasNextPage"),
    };
  });
  return found;
};
same("more", connection().more, true);
await load({ after: connection().end });
same("both pages", [connection().edges, connection().more], [30, false]);

const wrong = await load({ ratings: [9] });
same("a page that was refused", [wrong.product.comments, wrong.product.stats.totalCount], [null, 50]);
