// Links of the documents, which are written for the repository: `../examples/x.yaml`, `commands/README.md#a-heading`.
import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, posix, relative } from "node:path";
import { root, urlPathOf } from "./pages.mjs";

/**
 * A plugin of markdown-it that makes links between files of the repository links of the site: pages become pages, and
 * everything else becomes a copy of the file, which `files` lists. A link to a folder leads to its README, or to a list of
 * its files: then `files` has the folder, with a slash at the end.
 */
export function linkRewriter(base) {
  const files = new Set();
  const rewrite = (href, env) => {
    if (/^([a-z][a-z+.-]*:|#|\/)/i.test(href)) return null;
    const [path = "", hash] = href.split("#");
    const source = relative(root, env.realPath ?? env.path);
    let target = posix.normalize(posix.join(dirname(source), decodeURIComponent(path))).replace(/\/$/, "");
    if (target.startsWith("..")) throw new Error(`${source}: ${href} leads out of the repository`);
    if (!existsSync(join(root, target))) throw new Error(`${source}: ${href}: there is no ${target}`);
    if (statSync(join(root, target)).isDirectory()) {
      if (!existsSync(join(root, target, "README.md"))) {
        files.add(`${target}/`);
        return { file: `${base}files/${target}/index.html` };
      }
      target = `${target}/README.md`;
    }
    const suffix = hash === undefined ? "" : `#${hash}`;
    if (target.endsWith(".md")) return { page: `/${urlPathOf(target).replace(/(^|\/)index\.md$/, "$1")}${suffix}` };
    files.add(target);
    return { file: `${base}files/${target}` };
  };

  const plugin = (md) => {
    md.core.ruler.push("repository-links", ({ tokens, env }) => {
      for (const { children } of tokens) {
        let inFile = false;
        for (const token of children ?? []) {
          if (token.type === "link_open") {
            const target = rewrite(token.attrGet("href") ?? "", env);
            if (target?.page !== undefined) token.attrSet("href", target.page);
            if (target?.file === undefined) continue;
            // The site's router must leave it alone: it is no page.
            inFile = true;
            token.type = "html_inline";
            token.content = `<a href="${md.utils.escapeHtml(target.file)}" target="_self" v-pre>`;
          } else if (token.type === "link_close" && inFile) {
            inFile = false;
            token.type = "html_inline";
            token.content = "</a>";
          }
        }
      }
    });
  };
  return { plugin, files };
}

/** A plugin of markdown-it that keeps `${{ vars.NAME }}` a text, in prose and in code: Vue would evaluate it. */
export function literalBraces(md) {
  for (const rule of ["text", "code_inline"]) {
    const render = md.renderer.rules[rule];
    md.renderer.rules[rule] = (...args) => render(...args).replaceAll("{{", "&#123;&#123;");
  }
}

/** A plugin of markdown-it that lets long paths of fields break after a dot, so that columns of tables stay narrow. */
export function breakablePaths(md) {
  const render = md.renderer.rules.code_inline;
  md.renderer.rules.code_inline = (tokens, index, ...rest) => {
    const html = render(tokens, index, ...rest);
    return /^[\w.]{15,}$/.test(tokens[index].content) ? html.replaceAll(".", ".<wbr>") : html;
  };
}

/** Copies files and folders of the repository; a folder gets a page that lists its files. */
export function copyFiles(files, outDir) {
  const copy = (file) => {
    const target = join(outDir, file);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join(root, file), target);
  };
  for (const file of files) {
    if (!file.endsWith("/")) {
      copy(file);
      continue;
    }
    const inside = readdirSync(join(root, file), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath, entry.name)))
      .toSorted();
    for (const one of inside) copy(one);
    const rows = inside.map((one) => `<li><a href="${encodeURI(relative(file, one))}">${relative(file, one)}</a></li>`);
    const head = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark">`;
    const style = "<style>body { font: 1rem/1.6 system-ui; margin: 2rem }</style>";
    writeFileSync(
      join(outDir, file, "index.html"),
      `${head}<title>${file}</title>${style}<h1>${file}</h1><ul>${rows.join("")}</ul></html>\n`,
    );
  }
}
