import { defineConfig } from "vite";

const target = process.env.SERVICE ?? "http://127.0.0.1:8080";
const proxy = { "/graphql": { target, changeOrigin: true } };

export default defineConfig({ server: { proxy }, preview: { proxy } });
