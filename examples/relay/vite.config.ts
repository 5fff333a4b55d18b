import { defineConfig } from "vite";

// Relay's compiler makes a module of each graphql`…`: import it where the text is.
const relay = {
  name: "relay",
  enforce: "pre" as const,
  transform(code: string, file: string) {
    if (!/\/src\/\w+\.tsx$/.test(file)) return;
    let imports = "";
    const compiled = code.replace(/graphql`\s*(?:query|mutation|fragment) (\w+)[^`]*`/g, (_, name) => {
      imports += `import ${name}_graphql from "./__generated__/${name}.graphql"; `;
      return `${name}_graphql`;
    });
    return imports + compiled;
  },
};

const target = process.env.SERVICE ?? "http://127.0.0.1:8080";
const proxy = { "/graphql": { target, changeOrigin: true } };

export default defineConfig({ plugins: [relay], server: { proxy }, preview: { proxy } });
