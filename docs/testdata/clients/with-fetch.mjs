import { ask, review } from "./fetch.mjs";
import { sorted } from "./orders.mjs";
import { same } from "./same.mjs";

const answer = await ask("query ($id: ID!) { product(id: $id) { comments(first: 3) { nodes { rating } } } }", { id: "42" });
same("ratings", answer.data.product.comments.nodes, [{ rating: 5 }, { rating: 4 }, { rating: 3 }]);

const input = { productId: "7", rating: 5, language: "en", text: "As described." };
const refused = await review(undefined, input);
same("without a token", refused.errors[0].extensions.code, "UNAUTHENTICATED");
same("what was refused", [refused.data, refused.errors[0].path], [{ createComment: null }, ["createComment"]]);
const made = await review(process.env.TOKEN, input);
same("with a token", [made.errors, made.data.createComment.comment.rating], [undefined, 5]);
const { stats, comments } = made.data.createComment.query.product;
same("the product after it", [stats.totalCount, comments.nodes[0].id], [1, made.data.createComment.comment.id]);

const lowest = { field: "RATING", direction: "ASC" };
const first = (await sorted("42", lowest)).data.product.comments;
const second = (await sorted("42", lowest, null, first.pageInfo.endCursor)).data.product.comments;
const ratings = [...first.nodes, ...second.nodes].map((n) => n.rating);
same("lowest first", [ratings.length, ratings], [40, [...ratings].sort()]);
const { nodes } = (await sorted("42", lowest, { attributes: [{ key: "size", equals: ["M"] }] })).data.product.comments;
same("lowest first of an attribute", nodes.map((n) => n.rating), [1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5]);
same("an attribute that nobody defined", (await sorted("42", null, { attributes: [{ key: "fit", min: "1" }] })).errors[0].extensions.field, "filter.attributes.0.key");
