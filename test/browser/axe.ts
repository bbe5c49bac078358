/** Judges a page in a browser by axe-core. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly html: string }[]
}

export type Rules = 'every rule' | 'colours'

const options: Readonly<Record<Rules, object>> = {
  'every rule': { rules: { 'target-size': { enabled: true } } },
  colours: { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } },
}

/** Fails where the page has a violation. */
export async function judge(page: Page, name: string, rules: Rules = 'every rule'): Promise<void> {
  await page.evaluate(axe)
  const violations = await page.evaluate<readonly Violation[]>(
    `axe.run(document, ${JSON.stringify(options[rules])}).then((result) => result.violations)`,
  )
  const descriptions = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join('\n')}`)
  assert.deepEqual(descriptions, [], name)
}
