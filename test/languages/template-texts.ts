/** The English texts of the `html` and `phrase` templates in the source. */

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { messagesOfMarkup } from '../../src/html/markup/template-messages.ts'

const source = join(import.meta.dirname, '../../src')

/** All texts, each once. */
export function templateTexts(): readonly string[] {
  // The page of a redirect is not translated.
  const options = { cwd: source, exclude: ['html/redirect-page.ts'] }
  const files = globSync('{features,html,operation}/**/*.ts', options)
  return [...new Set(files.flatMap((name) => textsOfFile(join(source, name))))]
}

function textsOfFile(path: string): readonly string[] {
  return templatesIn(readFileSync(path, 'utf8')).flatMap(({ tag, strings }) => {
    if (tag === 'html') return messagesOfMarkup(strings)
    return tag === 'phrase' ? [strings.reduce((message, part, at) => `${message}{${at}}${part}`)] : []
  })
}

interface Template {
  /** The word before it. */
  readonly tag: string
  readonly strings: readonly string[]
}

/** The templates of TypeScript source, also those within others. */
export function templatesIn(source: string): readonly Template[] {
  const found: Template[] = []
  let at = 0

  /** Reads code up to the brace that ends a value of a template, or to the end. */
  function readCode(): void {
    let depth = 0
    for (; at < source.length; at += 1) {
      const rest = source.slice(at, at + 2)
      const character = source[at]
      if (rest === '//') at = endAfter('\n')
      else if (rest === '/*') at = endAfter('*/')
      else if (character === "'") at = endAfter("'")
      else if (character === '`') readTemplate()
      else if (character === '{') depth += 1
      else if (character === '}' && depth === 0) return
      else if (character === '}') depth -= 1
    }
  }

  /** The index of the last character of the next occurrence. */
  function endAfter(text: string): number {
    const end = source.indexOf(text, at + 1)
    return end < 0 ? source.length : end + text.length - 1
  }

  /** Leaves `at` on the closing backtick. */
  function readTemplate(): void {
    const tag = /\w*$/.exec(source.slice(Math.max(0, at - 40), at))?.[0] ?? ''
    const strings: string[] = []
    let text = ''
    for (at += 1; source[at] !== '`'; at += 1) {
      if (source.startsWith('${', at)) {
        strings.push(text)
        text = ''
        at += 2
        readCode()
      } else if (source.startsWith('\\n', at)) {
        text += '\n'
        at += 1
      } else text += source[at]
    }
    found.push({ tag, strings: [...strings, text] })
  }

  readCode()
  return found
}
