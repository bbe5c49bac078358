/** A form of a page as a browser without script would send it: where to, and with which pairs. */

import assert from 'node:assert/strict'

export interface SubmittedForm {
  readonly action: string
  /** In their order; `set` replaces the value of an input as a person does. */
  readonly pairs: readonly (readonly [string, string])[]
  set(name: string, value: string): SubmittedForm
  /** Adds the value of a radio button, which the form must have. */
  choose(name: string, value: string): SubmittedForm
  /** The content of the request. */
  readonly content: string
  /** The markup of the form. */
  readonly markup: string
}

/** The first form whose action matches; fails where the page has none. */
export function formOf(page: string, wanted: RegExp): SubmittedForm {
  const forms = [...page.matchAll(/<form method="post" action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g)]
  const found = forms.find(([, action = '']) => wanted.test(textOf(action)))
  assert.ok(found, `no form for ${wanted} among ${forms.map(([, action]) => action).join(' ')}`)
  const [, action = '', markup = ''] = found
  return formWith(textOf(action), markup, pairsIn(markup))
}

function formWith(
  action: string,
  markup: string,
  pairs: readonly (readonly [string, string])[],
): SubmittedForm {
  return {
    action,
    markup,
    pairs,
    set(name, value) {
      assert.ok(
        pairs.some(([one]) => one === name),
        `no input ${name}`,
      )
      const changed = pairs.map(([one, was]) => [one, one === name ? value : was] as const)
      return formWith(action, markup, changed)
    },
    choose(name, value) {
      assert.ok(markup.includes(`type="radio" name="${name}" value="${value}"`), `no choice ${name} ${value}`)
      return formWith(action, markup, [...pairs, [name, value]])
    },
    get content() {
      return new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString()
    },
  }
}

const controls =
  /<input ([^>]*)>|<textarea ([^>]*)>\n?([\s\S]*?)<\/textarea>|<select ([^>]*)>([\s\S]*?)<\/select>/g

function pairsIn(markup: string): readonly (readonly [string, string])[] {
  return [...markup.matchAll(controls)].flatMap(([, input, area, text, select, options]) => {
    const attributes = input ?? area ?? select ?? ''
    const name = attribute(attributes, 'name')
    if (name === undefined) return []
    if (input !== undefined) {
      const isBox = ['checkbox', 'radio'].includes(attribute(input, 'type') ?? '')
      const isOff = isBox && !/\bchecked\b/.test(input)
      return isOff ? [] : [[name, attribute(input, 'value') ?? ''] as const]
    }
    // Browsers send every line break as CRLF.
    if (area !== undefined) return [[name, textOf(text ?? '').replaceAll(/\r\n?|\n/g, '\r\n')] as const]
    return [[name, chosenIn(options ?? '')] as const]
  })
}

function chosenIn(options: string): string {
  const all = [...options.matchAll(/<option value="([^"]*)"( selected)?>/g)]
  const chosen = all.find(([, , selected]) => selected) ?? all[0]
  return textOf(chosen?.[1] ?? '')
}

function attribute(attributes: string, name: string): string | undefined {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1]
  return value === undefined ? undefined : textOf(value)
}

function textOf(markup: string): string {
  return markup
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}
