// A shop of one page: node shop.mjs, then http://127.0.0.1:3000/
import { createServer } from "node:http";
import { reviews } from "./reviews.mjs";

const shop = createServer(async (request, response) => {
  const { search } = new URL(request.url, "http://shop");
  response.setHeader("Content-Type", "text/html; charset=utf-8");
  response.end(`<!doctype html><html lang="en"><title>A backpack</title><h1>A backpack</h1>
    ${await reviews("42", search, process.env.REVIEWS)}`);
});
shop.listen(process.env.PORT ?? 3000, "127.0.0.1", () => console.log(`http://127.0.0.1:${shop.address().port}/`));
