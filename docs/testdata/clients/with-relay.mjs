import { getNamedType } from "graphql";
import { createElement, Suspense } from "react";
import react from "react-relay";
import { commitMutation, createOperationDescriptor, fetchQuery, getRequest } from "relay-runtime";
import renderer from "react-test-renderer";
import { fail } from "./fail.mjs";
import { same } from "./same.mjs";
import { schema } from "./schema.mjs";
import QueueMutation from "./src/__generated__/QueueMutation.graphql.js";
import QueueQuery from "./src/__generated__/QueueQuery.graphql.js";
import ReviewsQuery from "./src/__generated__/ReviewsQuery.graphql.js";
import list from "./src/__generated__/Reviews_product.graphql.js";
import { environment, showQuery } from "./src/environment.js";

globalThis.IS_REACT_ACT_ENVIRONMENT = true;
const warnings = [];
for (const level of ["error", "warn"]) console[level] = (text) => warnings.push(text);
const codes = (errors) => errors.map((e) => e.extensions.code);

// show renders a list as a page does, and returns what it has now.
async function show(variables) {
  const now = {};
  const Reviews = () => {
    now.product = react.useLazyLoadQuery(ReviewsQuery, { id: "42", ...variables }).product;
    return now.product && createElement(List, now);
  };
  const List = ({ product }) => {
    const { data, ...paging } = react.usePaginationFragment(list, product);
    Object.assign(now, paging, { comments: data.comments, ids: data.comments?.edges.map((e) => e.node.id) });
    return null;
  };
  const page = createElement(Suspense, { fallback: null }, createElement(Reviews));
  const act = (change) => renderer.act(async () => change());
  await act(() => renderer.create(createElement(react.RelayEnvironmentProvider, { environment }, page)));
  while (now.product !== null && !("comments" in now)) await act(() => new Promise((later) => setTimeout(later, 5)));
  const turn = (load) => act(() => new Promise((onComplete) => load(20, { onComplete })).then((error) => (now.error = error)));
  return Object.assign(now, { next: () => turn(now.loadNext), previous: () => turn(now.loadPrevious) });
}

const filters = { ratings: [1, 2, 3, 4] };
const first = await show(filters);
same("the first page", [first.comments.totalCount, first.ids.length, first.hasNext, first.hasPrevious], [40, 20, true, false]);
await fail("comments");
await first.next();
same("a page that fails", [first.error.codes, codes(first.error.errors)], [["UNAVAILABLE"], ["UNAVAILABLE"]]);
same("what was loaded before it", [first.ids.length, first.hasNext], [20, true]);
await fail("totalCount");
await first.next();
same("both pages", [first.ids.length, first.hasNext, first.comments.totalCount, first.error], [40, false, null, null]);

await fail("stats");
const partial = await show({ ratings: [5] });
same("a page with an error", [codes(partial.product.stats.errors), partial.ids.length], [["UNAVAILABLE"], 10]);
const lowest = await show({ ...filters, orderBy: { field: "RATING", direction: "ASC" } });
same("another order", lowest.comments.edges.slice(0, 11).map((e) => e.node.rating), [...Array(10).fill(1), 2]);
const size = await show({ ...filters, filter: { attributes: [{ key: "size", equals: ["M"] }] } });
same("a filter by an attribute", size.ids.length, 14);
same("the first list, still", (await show(filters)).ids.length, 40);
const wrong = await show({ ratings: [9] });
same("a page that was refused", [wrong.comments, wrong.product.stats.value.totalCount], [null, 50]);

// From a page or a comment in the middle a list continues in both directions, to all comments once.
const all = await show({ language: null });
for (let i = 0; i < 5 && all.hasNext; i++) await all.next();
same("all comments", new Set(all.ids).size, 50);
for (const start of [{ page: 2 }, { around: all.ids[25] }]) {
  for (const turns of [["next", "previous"], ["previous", "next"]]) {
    const middle = await show({ ...start, language: turns[0] === "next" ? null : "" });
    same("starts in the middle", middle.ids, all.ids.slice(20, 40));
    for (const turn of turns) await middle[turn]();
    same("ends", [middle.hasPrevious, middle.hasNext, middle.error], [false, false, null]);
    same(`${Object.keys(start)}, then ${turns}`, middle.ids, all.ids);
  }
}

// What a payload's query returns is what the page shows, with the updater.
const answers = (data) => (globalThis.fetch = async () => Response.json({ data }));
const queue = (totalCount) => ({ moderationQueue: { totalCount } });
async function waiting(updater) {
  answers(queue(8));
  await fetchQuery(environment, QueueQuery, {}).toPromise();
  answers({ rejectComment: { query: queue(7) } });
  const mutation = { mutation: QueueMutation, variables: { input: { id: "1", reason: "spam" } }, updater };
  await new Promise((onCompleted, onError) => commitMutation(environment, { ...mutation, onCompleted, onError }));
  return environment.lookup(createOperationDescriptor(getRequest(QueueQuery), {}).fragment).data.moderationQueue.totalCount;
}
same("the queue after a rejection", await waiting(showQuery), 7);
environment.commitUpdate((store) => same("the root", store.getRoot().getLinkedRecord("moderationQueue", { first: 0 }).getValue("totalCount"), 7));
same("without the updater", await waiting(undefined), 8);

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
same("warnings", warnings, []);
