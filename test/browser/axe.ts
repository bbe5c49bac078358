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

const options = { rules: { 'target-size': { enabled: true } } }

/** Fails where the page has a violation. */
export async function judge(page: Page, name: string): Promise<void> {
  await page.evaluate(axe)
  const violations = await page.evaluate<readonly Violation[]>(
    `axe.run(document, ${JSON.stringify(options)}).then((result) => result.violations)`,
  )
  const descriptions = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join('\n')}`)
  assert.deepEqual(descriptions, [], name)
}
