"use strict";
// Theme, copy buttons and search. Without this script the book can be read all the same.

(function () {
  const root = document.documentElement;

  // What was chosen, if the browser lets a page from a disk remember anything; the preference of the system otherwise.
  const remembered = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  const remember = theme => { try { localStorage.setItem("theme", theme); } catch { /* for this page only */ } };
  const chosen = remembered();
  if (chosen === "dark" || chosen === "light") root.dataset.theme = chosen;

  function theme() {
    const button = document.getElementById("theme");
    button.hidden = false;
    button.onclick = () => {
      const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
      root.dataset.theme = dark ? "light" : "dark";
      remember(root.dataset.theme);
    };
  }

  // Of a session only what is typed.
  function toCopy(pre) {
    const typed = [...pre.querySelectorAll(".typed")].map(e => e.textContent);
    return typed.length ? typed.join("\n") + "\n" : pre.querySelector("code").textContent;
  }

  // The clipboard of scripts is closed to some pages from a disk; selecting and copying is not.
  function copy(text) {
    const area = document.createElement("textarea");
    area.value = text;
    area.style.position = "fixed";
    area.style.opacity = "0";
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done ? Promise.resolve() : navigator.clipboard.writeText(text);
  }

  function buttons() {
    for (const pre of document.querySelectorAll("pre")) {
      const box = document.createElement("div");
      box.className = "example";
      pre.replaceWith(box);
      const button = document.createElement("button");
      button.className = "copy";
      button.textContent = "Copy";
      button.onclick = () => copy(toCopy(pre)).then(() => { button.textContent = "Copied"; }, () => { button.textContent = "Not allowed"; })
        .then(() => setTimeout(() => { button.textContent = "Copy"; }, 1500));
      box.append(pre, button);
    }
  }

  const plain = text => text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase();

  // Sections with all words of the query, those first that have them in their headings.
  function search(query) {
    const words = plain(query).split(/\s+/).filter(w => w);
    if (!words.length) return [];
    const found = [];
    for (const [link, title, heading, text] of window.interfieldIndex || []) {
      const [h, t, x] = [plain(heading), plain(title), plain(text)];
      let score = h === words.join(" ") ? 100 : 0;
      for (const word of words) {
        const one = (h.includes(word) ? 20 : 0) + (h.split(/[^\p{L}\p{N}-]+/u).includes(word) ? 20 : 0) + (t.includes(word) ? 8 : 0)
          + Math.min(x.split(word).length - 1, 5);
        if (!one) { score = -1; break; }
        score += one;
      }
      if (score > 0) found.push({ link, title, heading, text, score });
    }
    return found.sort((a, b) => b.score - a.score).slice(0, 40).map(f => ({ ...f, words }));
  }

  function piece({ text, words }) {
    const lower = text.toLowerCase();
    const first = Math.max(0, Math.min(...words.map(w => lower.indexOf(w)).filter(i => i >= 0), text.length) - 40);
    return (first > 0 ? "… " : "") + text.slice(first, first + 160);
  }

  // Text with the words of the query marked, as nodes, so that no text becomes HTML.
  function marked(text, words) {
    const pattern = new RegExp("(" + words.map(w => w.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|") + ")", "gi");
    return text.split(pattern).map((part, i) => {
      if (i % 2 === 0) return document.createTextNode(part);
      const mark = document.createElement("mark");
      mark.textContent = part;
      return mark;
    });
  }

  function show(list, query) {
    const found = document.getElementById("found");
    found.replaceChildren();
    found.hidden = !query.trim();
    if (!list.length) found.textContent = "Nothing found: all words must be in one section.";
    for (const f of list) {
      const a = document.createElement("a");
      const head = document.createElement("b");
      const words = document.createElement("span");
      a.href = f.link;
      head.append(...marked(f.heading === f.title ? f.title : f.title + " › " + f.heading, f.words));
      words.append(...marked(piece(f), f.words));
      a.append(head, words);
      a.onclick = () => { found.hidden = true; };
      found.append(a);
    }
  }

  // The words of the book are loaded when somebody begins to search.
  let loading = null;
  function load() {
    loading = loading || new Promise((done, failed) => {
      const script = document.createElement("script");
      script.src = "search.js";
      script.onload = done;
      script.onerror = failed;
      document.head.append(script);
    });
    return loading;
  }

  function searching() {
    const input = document.getElementById("search");
    const found = document.getElementById("found");
    input.parentElement.hidden = false;
    const run = () => load().then(() => show(search(input.value), input.value));
    input.addEventListener("focus", load);
    input.addEventListener("input", run);
    input.addEventListener("keydown", event => {
      if (event.key === "Enter" && found.firstElementChild) { location.href = found.firstElementChild.href; found.hidden = true; }
      if (event.key === "ArrowDown" && found.firstElementChild) { found.firstElementChild.focus(); event.preventDefault(); }
      if (event.key === "Escape") { input.value = ""; found.hidden = true; input.blur(); }
    });
    found.addEventListener("keydown", event => {
      const step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
      if (step) { (document.activeElement[step] || input).focus(); event.preventDefault(); }
    });
    document.addEventListener("click", event => { if (!event.target.closest(".search")) found.hidden = true; });
    const asked = new URLSearchParams(location.search).get("search");
    if (asked) { input.value = asked; run(); }
  }

  function keys() {
    document.addEventListener("keydown", event => {
      // Arrows scroll what is wide, and go through what was found.
      if (event.target.closest("input, pre, .wide, .equation, #found") || event.ctrlKey || event.metaKey || event.altKey) return;
      const turn = { ArrowLeft: "a[rel=prev]", ArrowRight: "a[rel=next]" }[event.key];
      const link = turn && document.querySelector(turn);
      if (link) location.href = link.href;
      if (event.key === "/") { document.getElementById("search").focus(); event.preventDefault(); }
    });
  }

  document.addEventListener("DOMContentLoaded", () => {
    theme();
    buttons();
    searching();
    keys();
    // The page itself must stay where its address says.
    const here = document.querySelector("nav.contents .here");
    if (here) here.closest("nav").scrollTop = here.offsetTop - here.closest("nav").clientHeight / 2;
  });
})();
