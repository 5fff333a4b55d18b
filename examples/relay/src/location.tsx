import { createContext, use, useEffect, useState, useTransition } from "react";
import type { MouseEvent, ReactNode } from "react";

// The address holds what the page shows, so links and the back button keep it:
// ?product=42&rating=4&rating=5&language=de&text=1&verified=1&sort=best&page=7#comment-c17
export const orders = {
  newest: { field: "CREATED_AT", direction: "DESC" },
  oldest: { field: "CREATED_AT", direction: "ASC" },
  best: { field: "RATING", direction: "DESC" },
  worst: { field: "RATING", direction: "ASC" },
  helpful: { field: "HELPFUL", direction: "DESC" },
} as const;

// What the list of reviews asks for.
export function variablesOf({ searchParams: search, hash }: URL) {
  const sort = search.get("sort") ?? "newest";
  const orderBy = Object.hasOwn(orders, sort) ? orders[sort as keyof typeof orders] : orders.newest;
  const numbered = orderBy.field !== "HELPFUL"; // lists by votes have no page numbers
  const around = numbered && hash.startsWith("#comment-") ? decodeURIComponent(hash.slice(9)) : null;
  const page = Number(search.get("page"));
  return {
    id: search.get("product") ?? "42",
    language: search.get("language"),
    ratings: search.getAll("rating").map(Number).filter((rating) => [1, 2, 3, 4, 5].includes(rating)).sort(),
    filter: { withText: search.has("text"), verifiedOnly: search.has("verified") },
    orderBy,
    around,
    page: numbered && !around && page > 1 ? Math.floor(page) : null,
  };
}

// Another filter or order starts at the first page. Null removes a parameter.
type Change = Record<string, string | string[] | null>;

export function changed(url: URL, change: Change): URL {
  const next = new URL(url);
  next.hash = "";
  for (const [name, value] of Object.entries({ page: null, ...change })) {
    next.searchParams.delete(name);
    for (const each of [value ?? []].flat()) next.searchParams.append(name, each);
  }
  return next;
}

const Location = createContext({ url: new URL(location.href), pending: false, go: (_: URL) => {} });
export const useUrl = () => use(Location);

// While the next list loads, the page shows the last one.
export function LocationProvider({ children }: { children: ReactNode }) {
  const [url, setUrl] = useState(() => new URL(location.href));
  const [pending, start] = useTransition();
  const read = () => start(() => setUrl(new URL(location.href)));
  useEffect(() => {
    addEventListener("popstate", read);
    return () => removeEventListener("popstate", read);
  }, []);
  const go = (to: URL) => {
    history.pushState(null, "", to);
    read();
  };
  return <Location value={{ url, pending, go }}>{children}</Location>;
}

type LinkProps = { change: Change; current?: boolean; label?: string; children: ReactNode };

export function Link({ change, current, label, children }: LinkProps) {
  const { url, go } = useUrl();
  const to = changed(url, change);
  const click = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return; // another tab or window
    event.preventDefault();
    go(to);
  };
  return (
    <a href={to.href} aria-current={current ? "true" : undefined} aria-label={label} onClick={click}>
      {children}
    </a>
  );
}
