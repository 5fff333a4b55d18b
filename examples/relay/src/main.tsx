import { StrictMode, useMemo, useState } from "react";
import { createRoot } from "react-dom/client";
import { RelayEnvironmentProvider } from "react-relay";
import { environmentOf } from "./environment";
import { LocationProvider, Link, useUrl } from "./location";
import { ProductPage } from "./ProductPage";
import { Queue } from "./Queue";
import "./style.css";

function Page() {
  const { url } = useUrl();
  return url.searchParams.has("queue") ? <Queue /> : <ProductPage />;
}

// In a shop the token comes from its login. Here it is pasted, and kept for this tab.
function App() {
  const [token, setToken] = useState(sessionStorage.getItem("token") ?? "");
  const environment = useMemo(() => environmentOf(token), [token]);
  const signIn = (data: FormData) => {
    sessionStorage.setItem("token", String(data.get("token")).trim());
    setToken(String(data.get("token")).trim());
  };
  return (
    <LocationProvider>
      <header>
        <nav aria-label="Pages">
          <Link change={{ queue: null }}>Product</Link> <Link change={{ queue: "1" }}>Queue</Link>
        </nav>
        <form action={signIn}>
          <label>
            Token <input name="token" type="password" autoComplete="off" defaultValue={token} />
          </label>
          <button>{token ? "Change" : "Sign in"}</button>
        </form>
      </header>
      <RelayEnvironmentProvider key={token} environment={environment}>
        <main>
          <Page />
        </main>
      </RelayEnvironmentProvider>
    </LocationProvider>
  );
}

// Sections show what the service answers; other faults are for the console.
const onCaughtError = (error: unknown) => (error instanceof Error && "errors" in error) || console.error(error);

createRoot(document.getElementById("root")!, { onCaughtError }).render(<StrictMode><App /></StrictMode>);
