import { Component, Suspense, useState, useTransition } from "react";
import type { ReactNode } from "react";
import type { FetchPolicy } from "relay-runtime";

type Failure = { what: string; retry: () => void; reason?: string };

export function Failed({ what, retry, reason }: Failure) {
  return (
    <div role="alert" className="failed">
      <p>{what} cannot be shown now. {reason}</p>
      <button onClick={retry}>Try again</button>
    </div>
  );
}

type BoundaryProps = { what: string; retry: () => void; attempt: unknown; children: ReactNode };
type BoundaryState = { error: Error | null; attempt: unknown };

class Boundary extends Component<BoundaryProps, BoundaryState> {
  state: BoundaryState = { error: null, attempt: this.props.attempt };
  static getDerivedStateFromError(error: Error) {
    return { error };
  }
  static getDerivedStateFromProps({ attempt }: BoundaryProps, state: BoundaryState) {
    return attempt === state.attempt ? null : { error: null, attempt };
  }
  render() {
    return this.state.error ? <Failed what={this.props.what} retry={this.props.retry} /> : this.props.children;
  }
}

export type Attempt = { options: { fetchKey: number; fetchPolicy: FetchPolicy }; retry: () => void };

// A part of the page that loads, fails and is tried again by itself. `of` is what it is about: it
// is tried again when that changes.
export function Section({ what, of, children }: { what: string; of: string; children: (_: Attempt) => ReactNode }) {
  const [fetchKey, setKey] = useState(0);
  const [, start] = useTransition();
  const retry = () => start(() => setKey((key) => key + 1));
  const fetchPolicy = fetchKey ? "network-only" : "store-or-network";
  return (
    <Boundary what={what} retry={retry} attempt={`${of} ${fetchKey}`}>
      <Suspense fallback={<p role="status">Loading {what.toLowerCase()}…</p>}>
        {children({ options: { fetchKey, fetchPolicy }, retry })}
      </Suspense>
    </Boundary>
  );
}
