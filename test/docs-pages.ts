/** The pages of the documentation as data: code blocks, headings, links, tables. */

import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

export const root = resolve(import.meta.dirname, '..')

/** A Markdown file, with its path from the root of the repository. */
export interface DocPage {
  readonly path: string
  readonly text: string
}

/** The page at a path; throws where there is none. */
export function readPage(path: string): DocPage {
  return { path, text: readFileSync(join(root, path), 'utf8') }
}

/** The pages that match the patterns, in the order of their paths. */
export function readPages(...patterns: readonly string[]): readonly DocPage[] {
  return globSync(patterns, { cwd: root }).sort().map(readPage)
}

export interface CodeBlock {
  /** The page and line of the block, such as `README.md:12`. */
  readonly place: string
  readonly language: string
  /** Why the block is not run, from an info string such as `sh not run: it never ends`. */
  readonly reason: string | undefined
  readonly code: string
}

export function codeBlocks({ path, text }: DocPage): readonly CodeBlock[] {
  return [...text.matchAll(/^```(\w*)(?: not run: ([^\n]+))?\n(.*?)^```$/gms)].map((match) => {
    const [, language = '', reason, code = ''] = match
    const line = text.slice(0, match.index).split('\n').length
    return { place: `${path}:${line}`, language, reason, code }
  })
}

/** The section under a heading of the second level; empty where there is none. */
export function sectionOf({ text }: DocPage, heading: string): string {
  const [, after = ''] = text.split(`\n## ${heading}\n`)
  return after.split('\n## ')[0] ?? ''
}

/** The names in code type that begin the rows of the tables in a section. */
export function tableNames(page: DocPage, heading: string): readonly string[] {
  return [...sectionOf(page, heading).matchAll(/^\| ((?:`[^`]+`(?:, )?)+) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  )
}

/** The relative links of a page that lead nowhere: to no file, or to no heading of a page. */
export function brokenLinks(page: DocPage): readonly string[] {
  return linksOf(page).filter((link) => {
    const [path = '', anchor] = link.split('#')
    const file = path === '' ? join(root, page.path) : join(root, dirname(page.path), path)
    if (!existsSync(file)) return true
    if (anchor === undefined || !file.endsWith('.md')) return false
    const target = path === '' ? page : readPage(relative(root, file))
    return !anchorsOf(target).includes(anchor)
  })
}

/** The relative links of a page outside code, with the sources of its pictures. */
export function linksOf({ text }: DocPage): readonly string[] {
  const prose = text.replaceAll(/^\s*```.*?^\s*```$/gms, '').replaceAll(/`[^`\n]*`/g, '')
  const marked = prose.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"\s]+)"/g)
  return [...marked]
    .map(([, link, attribute]) => link ?? attribute ?? '')
    .filter((link) => !/^[a-z]+:/.test(link))
}

/** The anchors that GitHub gives to headings: a repeated one gets a number. */
function anchorsOf({ text }: DocPage): readonly string[] {
  const counts = new Map<string, number>()
  const prose = text.replaceAll(/^```.*?^```$/gms, '')
  return [...prose.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => {
    const slug = heading
      .toLowerCase()
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
      .replaceAll(' ', '-')
    const count = counts.get(slug) ?? 0
    counts.set(slug, count + 1)
    return count === 0 ? slug : `${slug}-${count}`
  })
}

/** Files and folders named in code type, such as `src/index.ts`, that do not exist. */
export function missingFiles({ text }: DocPage): readonly string[] {
  return [...text.matchAll(/`((?:src|test|docs|examples|bench|assets)\/[\w./-]*)`/g)]
    .map(([, file = '']) => file)
    .filter((file) => !existsSync(join(root, file)))
}

/** Lines of prose beyond 120 columns; tables, code and HTML may be wider. */
export function longLines({ path, text }: DocPage): readonly string[] {
  const lines = text.split('\n')
  let isCode = false
  return lines.flatMap((line, index) => {
    if (/^\s*```/.test(line)) isCode = !isCode
    const isProse = !isCode && !line.startsWith('|') && !/^\s*</.test(line)
    return isProse && [...line].length > 120 ? [`${path}:${index + 1}`] : []
  })
}
