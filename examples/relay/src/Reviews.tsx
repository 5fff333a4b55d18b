import { useEffect, useState } from "react";
import { graphql, useLazyLoadQuery, usePaginationFragment } from "react-relay";
import type { Reviews_product$data, Reviews_product$key } from "./__generated__/Reviews_product.graphql";
import type { ReviewsPageQuery } from "./__generated__/ReviewsPageQuery.graphql";
import type { ReviewsQuery } from "./__generated__/ReviewsQuery.graphql";
import { Link, orders, useUrl, variablesOf } from "./location";
import { Review } from "./Review";
import { Failed, Section } from "./Section";
import type { Attempt } from "./Section";
import { Write } from "./Write";

// The list that the address selects.
export function Reviews() {
  const { url, pending } = useUrl();
  const chosen = url.searchParams.get("sort") ?? "newest";
  return (
    <section aria-labelledby="reviews" aria-busy={pending}>
      <h2 id="reviews">Reviews</h2>
      <ul className="row" aria-label="Order">
        {Object.keys(orders).map((sort) => (
          <li key={sort}>
            <Link change={{ sort: sort === "newest" ? null : sort }} current={sort === chosen}>{sort}</Link>
          </li>
        ))}
      </ul>
      <Section what="Reviews" of={url.href}>{(attempt) => <Load {...attempt} />}</Section>
    </section>
  );
}

function Load({ options, retry }: Attempt) {
  const { url } = useUrl();
  const { viewer, product } = useLazyLoadQuery<ReviewsQuery>(
    graphql`
      query ReviewsQuery(
        $id: ID!
        $language: String
        $ratings: [Int!]
        $filter: CommentFilter
        $orderBy: CommentOrder
        $page: Int
        $around: ID
      ) {
        viewer {
          subject
        }
        product(id: $id) {
          ...Reviews_product
        }
      }
    `,
    variablesOf(url),
    options,
  );
  return product ? <List product={product} writes={!!viewer} retry={retry} /> : <Failed what="Reviews" retry={retry} />;
}

function List({ product, writes, retry }: { product: Reviews_product$key; writes: boolean; retry: () => void }) {
  const { data, ...more } = usePaginationFragment<ReviewsPageQuery, Reviews_product$key>(
    graphql`
      fragment Reviews_product on Product
      @refetchable(queryName: "ReviewsPageQuery")
      @argumentDefinitions(
        first: { type: "Int" }
        after: { type: "String" }
        last: { type: "Int" }
        before: { type: "String" }
      ) {
        productId
        comments(
          first: $first
          after: $after
          last: $last
          before: $before
          language: $language
          ratings: $ratings
          filter: $filter
          orderBy: $orderBy
          page: $page
          around: $around
        )
          @connection(
            key: "Reviews_comments"
            filters: ["language", "ratings", "filter", "orderBy", "page", "around"]
          ) {
          __id
          totalCount
          facets {
            withTextCount
            verifiedCount
            languageCounts {
              language
              count
            }
          }
          pageCursors {
            around {
              page
              isCurrent
            }
            last {
              page
            }
          }
          edges {
            node {
              id
              ...Review_comment
            }
          }
        }
      }
    `,
    product,
  );
  const { url } = useUrl();
  const { around } = variablesOf(url);
  useEffect(() => {
    if (around) document.getElementById(`comment-${around}`)?.focus();
  }, [around]);
  const { comments, productId } = data;
  if (!comments) return <Failed what="Reviews" retry={retry} />;
  // A new review is first only in the whole list, newest first.
  const first = [...url.searchParams.keys()].every((name) => name === "product") && !around;
  return (
    <>
      <Filters facets={comments.facets} />
      <p role="status">{comments.totalCount == null ? "" : `${comments.totalCount} reviews match.`}</p>
      {writes && <Write productId={productId} list={first ? comments.__id : null} />}
      {more.hasPrevious && <More key={`before ${comments.__id}`} what="Previous reviews" load={more.loadPrevious} />}
      {comments.edges.map(({ node }) => <Review key={node.id} comment={node} />)}
      {around && comments.edges.length === 0 && (
        <p>This review is not in the list. <Link change={{}}>Show the list</Link></p>
      )}
      {more.hasNext && <More key={`after ${comments.__id}`} what="More reviews" load={more.loadNext} />}
      <Pages pages={comments.pageCursors} />
    </>
  );
}

// A further page that fails takes nothing away.
type Load = (count: number, options: { onComplete: (error: Error | null) => void }) => unknown;

export function More({ what, load }: { what: string; load: Load }) {
  const [state, setState] = useState<"ready" | "busy" | "failed">("ready");
  const more = () => {
    setState("busy");
    load(20, { onComplete: (error) => setState(error ? "failed" : "ready") });
  };
  if (state === "failed") return <Failed what={what} retry={more} />;
  return <button onClick={more} aria-disabled={state === "busy"}>{what}</button>;
}

type Comments = NonNullable<Reviews_product$data["comments"]>;

function Filters({ facets }: { facets: Comments["facets"] }) {
  const { searchParams } = useUrl().url;
  const chosen = searchParams.get("language");
  const [text, verified] = [searchParams.has("text"), searchParams.has("verified")];
  const count = (n?: number | null) => (n == null ? "" : ` (${n})`);
  return (
    <ul className="row" aria-label="Filters">
      <li><Link change={{ text: text ? null : "1" }} current={text}>with text{count(facets?.withTextCount)}</Link></li>
      <li>
        <Link change={{ verified: verified ? null : "1" }} current={verified}>
          buyers only{count(facets?.verifiedCount)}
        </Link>
      </li>
      {facets?.languageCounts.map(({ language, count }) => (
        <li key={language}>
          <Link change={{ language: language === chosen ? null : language }} current={language === chosen}>
            {new Intl.DisplayNames("en", { type: "language" }).of(language)} ({count})
          </Link>
        </li>
      ))}
      <li><Link change={{ rating: null, text: null, verified: null, language: null }}>all reviews</Link></li>
    </ul>
  );
}

function Pages({ pages }: { pages: Comments["pageCursors"] }) {
  if (!pages || pages.last.page === 1) return null; // lists by votes have no page numbers
  return (
    <nav aria-label="Pages of reviews">
      <ul className="row">
        {pages.around.map(({ page, isCurrent }) => (
          <li key={page}>
            <Link change={{ page: page > 1 ? String(page) : null }} current={isCurrent} label={`Page ${page}`}>
              {page}
            </Link>
          </li>
        ))}
        <li>of {pages.last.page}</li>
      </ul>
    </nav>
  );
}
