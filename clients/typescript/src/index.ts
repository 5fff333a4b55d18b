import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import { print } from "graphql";
import type { ErrorCode, ErrorReason } from "./schema.js";

export * from "./operations.js";
export * from "./schema.js";

export type Problem = {
  message: string;
  path?: (string | number)[];
  extensions: { code: ErrorCode; field?: string; reason?: ErrorReason | (string & {}); retryAfter?: number };
};

/** A field that failed is null in the data, and a problem names it. */
export type Answer<Data> = { data?: Data | null; errors?: Problem[] };

/** ask sends an operation to a service, with the token of who is signed in. */
export async function ask<Data, Variables>(
  url: string,
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  { token, signal }: { token?: string; signal?: AbortSignal } = {},
): Promise<Answer<Data>> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/graphql-response+json",
      ...(token && { Authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ query: print(document), variables }),
    signal: signal ?? null,
  });
  return response.json();
}
