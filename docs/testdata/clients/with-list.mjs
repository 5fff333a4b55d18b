import { load, read, write } from "./list.mjs";
import { same } from "./same.mjs";

const list = async (search) => (await load("42", search)).data.product.comments;
const ids = async (search) => (await list(search)).nodes.map((n) => n.commentId);
const ratings = async (search) => (await list(search)).nodes.map((n) => n.rating);

const whole = {
  language: "de", ratings: [4, 5], filter: { withText: true, attributes: [{ key: "size", equals: ["M"] }] },
  orderBy: { field: "ATTRIBUTE", attribute: "size", direction: "DESC" }, page: null, after: null,
};
same("what was written", read(write("", whole)), whole);
same("an address edited by hand", read('?page=x&ratings=[4&filter={"withText":true}'), { language: null, ratings: null, filter: { withText: true }, orderBy: null, page: null, after: null });
same("what others wrote", write("?from=mail&page=7", { ratings: null }), "?from=mail");

const second = write("", { page: 2 });
const newest = await ids("");
same("the second page", [(await ids(second))[0], (await list(second)).pageCursors.around.map((c) => c.isCurrent)], ["c029", [false, true, false]]);
same("back on the first", [newest.length, newest[0]], [20, "c049"]);
const lowest = write(second, { orderBy: { field: "RATING", direction: "ASC" } });
same("another order starts at its first page", await ratings(lowest), [...Array(10).fill(1), ...Array(10).fill(2)]);
same("its second", await ratings(write(lowest, { page: 2 })), [...Array(10).fill(3), ...Array(10).fill(4)]);
const medium = write(write(lowest, { page: 2 }), { filter: { attributes: [{ key: "size", equals: ["M"] }] } });
same("a filter by an attribute in that order", await ratings(medium), [1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5]);

const start = write("", { filter: { attributes: [{ key: "size", equals: ["S"] }] } });
const { pageCursors, pageInfo } = await list(start);
same("a list without page numbers", [pageCursors, pageInfo.hasNextPage], [null, true]);
const all = [...(await ids(start)), ...(await ids(write(start, { after: pageInfo.endCursor })))];
same("continues at its cursor", [all.length, new Set(all).size], [33, 33]);
same("an attribute without a definition", (await load("42", write("", { filter: { attributes: [{ key: "fit", min: "1" }] } }))).errors[0].extensions.field, "filter.attributes.0.key");
