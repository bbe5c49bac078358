/**
 * A subset of Markdown as HTML: paragraphs, headings, lists, quotations, code, emphasis and links. Everything else, HTML
 * included, is shown as text. All text is escaped, and links have only the schemes http, https and mailto.
 */

import { escapeText } from './markup.ts'

/** Returns the text as HTML. Takes time in proportion to the length of the text. */
export function renderMarkdown(text: string): string {
  const lines = text.split(/\r\n|\n|\r/)
  let markup = ''
  let at = 0
  while (at < lines.length) {
    const block = blocks.find(({ start }) => start.test(lines[at] as string)) ?? paragraph
    const end = block.findEnd(lines, at)
    markup += block.render(lines.slice(at, end))
    at = end
  }
  return markup
}

interface Block {
  /** Matches the first line. */
  readonly start: RegExp
  /** The index after the last line. */
  findEnd(lines: readonly string[], from: number): number
  render(lines: readonly string[]): string
}

const blank: Block = { start: /^\s*$/, findEnd: (_, from) => from + 1, render: () => '' }

const fence: Block = {
  start: /^```/,
  findEnd: (lines, from) => {
    const end = endOfRun(lines, from + 1, (line) => !line.startsWith('```'))
    return Math.min(end + 1, lines.length)
  },
  render: ([, ...lines]) => {
    const code = lines.at(-1)?.startsWith('```') ? lines.slice(0, -1) : lines
    return `<pre tabindex="0"><code>${escapeText(code.join('\n'))}</code></pre>`
  },
}

/** A paragraph, because the level of a heading would not fit into the page. */
const heading: Block = {
  start: /^#{1,6} /,
  findEnd: (_, from) => from + 1,
  render: ([line = '']) => `<p><strong>${renderInline(line.replace(/^#+ +/, ''))}</strong></p>`,
}

const bulletList = listBlock(/^[-*+] +/, 'ul')
const numberedList = listBlock(/^\d{1,9}[.)] +/, 'ol')

function listBlock(start: RegExp, element: 'ul' | 'ol'): Block {
  return {
    start,
    findEnd: (lines, from) => endOfRun(lines, from, (line) => start.test(line)),
    render: (lines) => {
      const items = lines.map((line) => `<li>${renderInline(line.replace(start, ''))}</li>`)
      return `<${element}>${items.join('')}</${element}>`
    },
  }
}

const quotation: Block = {
  start: /^>/,
  findEnd: (lines, from) => endOfRun(lines, from, (line) => line.startsWith('>')),
  render: (lines) => {
    const text = lines.map((line) => line.replace(/^> ?/, '')).join('\n')
    return `<blockquote><p>${renderInline(text)}</p></blockquote>`
  },
}

const blocks: readonly Block[] = [blank, fence, heading, bulletList, numberedList, quotation]

const paragraph: Block = {
  start: /^/,
  findEnd: (lines, from) =>
    endOfRun(lines, from + 1, (line) => !blocks.some(({ start }) => start.test(line))),
  render: (lines) => `<p>${renderInline(lines.join('\n'))}</p>`,
}

/** The index of the first line from `from` on that does not belong to the run. */
function endOfRun(lines: readonly string[], from: number, belongs: (line: string) => boolean): number {
  let end = from
  while (end < lines.length && belongs(lines[end] as string)) end += 1
  return end
}

/** Lengths are bounded, so that unclosed marks do not make the search quadratic. */
const inlineMark =
  /`([^`\n]{1,500})`|\*\*((?:[^*]|\*(?!\*(?!\*))){1,500})\*\*|\*((?![*\s])(?:[^*]|\*\*){1,500})\*(?!\*)|\[([^[\]]{1,500})\]\(((?:https?:\/\/|mailto:)[^\s()<>]{1,2000})\)/g

function renderInline(text: string): string {
  let markup = ''
  let end = 0
  for (const match of text.matchAll(inlineMark)) {
    markup += escapeText(text.slice(end, match.index)) + renderMark(match)
    end = match.index + match[0].length
  }
  return markup + escapeText(text.slice(end))
}

function renderMark([, code, strong, emphasis, label = '', target = '']: RegExpExecArray): string {
  if (code !== undefined) return `<code>${escapeText(code)}</code>`
  if (strong !== undefined) return `<strong>${renderInline(strong)}</strong>`
  if (emphasis !== undefined) return `<em>${renderInline(emphasis)}</em>`
  return `<a href="${escapeText(target)}" rel="noopener noreferrer nofollow">${escapeText(label)}</a>`
}
