// Draws jobs (JSON lines on stdin) in the built page and answers one JSON line each:
//   node draw.mjs SITE CHROMIUM   {"id", "elements", "picture", "width", "height"}
//                             ->  {"id", "overlay" (base64 PNG), "scene" (text)}
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import path from "node:path";
import readline from "node:readline";
import { chromium } from "playwright-core";

const [site, executablePath] = process.argv.slice(2);
const kinds = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css",
  ".woff2": "font/woff2", ".json": "application/json", ".png": "image/png" };

const server = createServer(async (request, response) => {
  const name = decodeURIComponent(new URL(request.url, "http://x").pathname);
  const file = path.join(site, name === "/" ? "index.html" : path.normalize(name));
  try {
    const data = await readFile(file);
    response.setHeader("content-type", kinds[path.extname(file)] ?? "application/octet-stream");
    response.end(data);
  } catch {
    response.statusCode = 404;
    response.end();
  }
});
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
const address = `http://127.0.0.1:${server.address().port}/`;

const browser = await chromium.launch({
  executablePath,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
const strangers = [];
page.on("request", (r) => {
  if (!r.url().startsWith(address) && !/^(data|blob):/.test(r.url())) strangers.push(r.url());
});
page.on("pageerror", (e) => console.error(`page: ${e.message}`));
await page.goto(address);
await page.waitForFunction(() => window.redline?.ready());

for await (const line of readline.createInterface({ input: process.stdin })) {
  const { id, ...job } = JSON.parse(line);
  const drawn = await page.evaluate((j) => window.redline.draw(j), job);
  process.stdout.write(`${JSON.stringify({ id, ...drawn })}\n`);
}
await browser.close();
server.close();
if (strangers.length) {
  console.error(`the page asked others: ${strangers.join(" ")}`);
  process.exit(1);
}
