import { ApolloProvider } from "@apollo/client/react";
import { StrictMode, useMemo, useState } from "react";
import { createRoot } from "react-dom/client";
import { clientOf } from "./client";
import { Reviews } from "./Reviews";
import "./style.css";

// In a shop the token comes from its login. Here it is pasted, and kept for this tab.
function App() {
  const [token, setToken] = useState(sessionStorage.getItem("token") ?? "");
  const client = useMemo(() => clientOf(token), [token]);
  const signIn = (data: FormData) => {
    sessionStorage.setItem("token", String(data.get("token")).trim());
    setToken(String(data.get("token")).trim());
  };
  return (
    <ApolloProvider client={client}>
      <header>
        <form action={signIn}>
          <label>
            Token <input name="token" type="password" autoComplete="off" defaultValue={token} />
          </label>
          <button>{token ? "Change" : "Sign in"}</button>
        </form>
      </header>
      <main>
        <Reviews key={token} id={new URLSearchParams(location.search).get("product") ?? "42"} />
      </main>
    </ApolloProvider>
  );
}

createRoot(document.getElementById("root")!).render(<StrictMode><App /></StrictMode>);
