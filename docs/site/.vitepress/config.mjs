// The site of the documents: it is built from README.md, docs/ and the pages of examples/ where they are, see pages.mjs.
// DOCS_BASE is the path that the site is served below, such as /edgewise/.
import { join } from "node:path";
import { anchorOf } from "../../../scripts/check-links.mjs";
import { breakablePaths, copyFiles, linkRewriter, literalBraces } from "../links.mjs";
import { excluded, root, sections, urlPathOf } from "../pages.mjs";

const base = process.env.DOCS_BASE ?? "/";
const links = linkRewriter(base);

/**
 * The pages are outside of this folder, so Vue, which they import when they are compiled, can't be found from there. When
 * pages are rendered to HTML, it is imported from here at run time; for browsers VitePress does this itself.
 */
const siteVue = {
  name: "site-vue",
  enforce: "pre",
  resolveId: (id, _importer, { ssr }) => (ssr && /^vue(\/|$)/.test(id) ? { id, external: true } : null),
};

export default {
  title: "edgewise",
  description: "Declarative GitOps reconciler for a tunnel-edge management API",
  lang: "en",
  head: [["link", { rel: "icon", href: "data:," }]],
  base,
  srcDir: root,
  srcExclude: excluded,
  outDir: join(root, "docs/site/dist"),
  cacheDir: join(root, "docs/site/node_modules/.cache/vitepress"),
  rewrites: urlPathOf,
  markdown: {
    anchor: { slugify: anchorOf },
    // Braces are manifests' own: `{file: path}` must not become an attribute.
    attrs: { disable: true },
    config: (md) => {
      md.use(links.plugin).use(literalBraces).use(breakablePaths);
      md.core.ruler.disable("emoji");
    },
    languageAlias: { cel: "js", console: "shellsession", rego: "txt" },
  },
  vite: {
    plugins: [siteVue],
    // Most of it is the index of the search, which is loaded when somebody searches.
    build: { chunkSizeWarningLimit: 2000 },
  },
  themeConfig: {
    search: {
      provider: "local",
      options: {
        miniSearch: {
          // Pages about edgewise itself come after those about its use.
          searchOptions: { boostDocument: (id) => (/\/(project|dev)\//.test(id) ? 0.3 : 1) },
        },
      },
    },
    outline: [2, 3],
    nav: sections.map(({ text, items }) => ({ text, link: items[0].link ?? items[0].items[0].link })),
    sidebar: sections,
    docFooter: { prev: false, next: false },
    externalLinkIcon: true,
  },
  // Pages link to files of the repository, such as examples. The site has a copy of each that is linked.
  buildEnd({ outDir }) {
    copyFiles(links.files, join(outDir, "files"));
  },
};
