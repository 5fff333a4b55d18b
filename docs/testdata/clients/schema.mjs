import { readFileSync } from "node:fs";
import { buildSchema } from "graphql";

export const schema = buildSchema(readFileSync("schema.graphql", "utf8"));
