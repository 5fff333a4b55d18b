import { ask, review } from "./fetch.mjs";
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
