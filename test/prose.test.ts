/**
 * The prose of comments, messages and documents avoids the words of indirect sentences. Code, code
 * spans, quotations and the rule `nobody` are not prose.
 */

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'

const root = resolve(import.meta.dirname, '..')
const avoided = /\b(?:whoever|nobody|someone|somebody|goes on|stands|is told|are told|of which)\b/i
/** A relative clause as the subject of a comment. */
const indirect = /^(?:What|Whoever|Whatever) /

test('comments and messages of the source name their subject', () => {
  const paths = ['src/**/*.ts', 'assets/**/*.{js,css,html}']
  assert.deepEqual(faultsIn(paths, proseOfSource), [])
})

test('documents name their subject', () => {
  assert.deepEqual(faultsIn(['docs/**/*.md', '*.md'], proseOfMarkdown), [])
})

test('an avoided word is found in comments, messages and documents, not in code and quotations', () => {
  assert.equal(findFaults(proseOfSource('/** What is sent. */')).length, 1)
  assert.equal(findFaults(proseOfSource('// It goes on.')).length, 1)
  assert.equal(findFaults(proseOfSource("fail('It is for nobody here.')")).length, 1)
  assert.equal(findFaults(proseOfSource("const rule = nobody // `nobody` denies.\n'nobody'")).length, 0)
  assert.equal(findFaults(proseOfMarkdown('The rule of which')).length, 1)
  assert.equal(
    findFaults(proseOfMarkdown('> someone\n\n`nobody` "of which"\n\n```ts\nnobody\n```')).length,
    0,
  )
})

function faultsIn(paths: readonly string[], proseOf: (text: string) => readonly string[]) {
  return globSync(paths, { cwd: root, exclude: ['CHANGELOG.md'] }).flatMap((path) =>
    findFaults(proseOf(readFileSync(join(root, path), 'utf8'))).map((fault) => `${path}: ${fault}`),
  )
}

function findFaults(prose: readonly string[]): readonly string[] {
  return prose
    .map(withoutQuotations)
    .filter((text) => avoided.test(text) || indirect.test(text))
    .map((text) => (avoided.exec(text) ? aroundMatch(text) : text.slice(0, 60)))
}

/** Comments, and the texts that have several words. */
function proseOfSource(source: string): readonly string[] {
  const tokens = source.matchAll(
    /\/\*[\s\S]*?\*\/|\/\/.*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g,
  )
  return [...tokens]
    .map(([token]) => token)
    .flatMap((token) => {
      if (token.startsWith('/')) return [token.replaceAll(/^\/[*/]+ ?|\s*\*\/$|^\s*\* ?/gm, '').trim()]
      const text = token.slice(1, -1)
      return text.includes(' ') ? [text.replace(indirect, '')] : []
    })
}

/** Lines outside of code blocks and block quotations. */
function proseOfMarkdown(text: string): readonly string[] {
  return text
    .replaceAll(/^```[\s\S]*?^```$/gm, '')
    .split('\n')
    .filter((line) => !line.startsWith('>'))
    .map((line) => line.replace(indirect, ''))
}

function withoutQuotations(text: string): string {
  return text.replaceAll(/`[^`]*`|"[^"]*"|“[^”]*”|(?:use|self,|delete:) nobody\b/g, '')
}

function aroundMatch(text: string): string {
  const { index } = avoided.exec(text) as RegExpExecArray
  return text.slice(Math.max(0, index - 30), index + 40).replaceAll('\n', ' ')
}
