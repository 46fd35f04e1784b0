// SPDX-License-Identifier: GPL-2.0-or-later
//
// Puts script and style into the page: assemble.mjs PAGE.html SCRIPT.js STYLE.css OUT.html
//
// The page's policy allows this script and this style by their hashes, and nothing else.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

const [page, script, style, out] = process.argv.slice(2);
const PLACE = "<!--STRATA-DATA-->";

function hash(text) {
	return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

// A function as replacement: in a string, `$&` would mean something.
function put(text, place, content) {
	if (text.split(place).length !== 2) throw new Error(`${page}: expected ${place} once`);
	return text.replace(place, () => content);
}

const code = readFileSync(script, "utf8").trim();
const rules = readFileSync(style, "utf8").trim();
if (/<\/script|<!--/i.test(code)) throw new Error(`${script}: holds text that would end its element`);
if (/<\/style/i.test(rules)) throw new Error(`${style}: holds text that would end its element`);

const policy = [
	"default-src 'none'",
	`script-src ${hash(code)}`,
	`style-src ${hash(rules)}`,
	"img-src data:",
	"connect-src 'self'",
	"base-uri 'none'",
	"form-action 'none'",
].join("; ");

let html = readFileSync(page, "utf8");
html = put(html, "%POLICY%", policy);
html = put(html, "%STYLE%", rules);
html = put(html, "%SCRIPT%", code);
if (html.split(PLACE).length !== 2) throw new Error(`${page}: expected ${PLACE} once`);
writeFileSync(out, html);
