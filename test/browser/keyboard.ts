/** A person who uses only the keyboard: Tab to an element, then keys on it. Each stop must be visible. */

import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'

/** More stops are more than a person takes. */
const mostStops = 150

/** Presses Tab, or Shift+Tab to go back, until the element has the focus. */
export async function reach(page: Page, target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await target.waitFor()
  for (let stops = 0; stops <= mostStops; stops += 1) {
    const { isReached, hidden } = await target.evaluate(lookAtFocus)
    assert.equal(hidden, undefined, 'an element with the focus cannot be seen')
    if (isReached) return
    await page.keyboard.press(key)
  }
  assert.fail(`${mostStops} stops do not reach ${target}`)
}

/** Whether the element has the focus, and the element that has it where nothing of it can be seen. */
const lookAtFocus = new Function(
  'target',
  `const focused = document.activeElement
  if (focused === document.body) return { isReached: false }
  const { left, top, width, height } = focused.getBoundingClientRect()
  const points = [0.1, 0.5, 0.9].flatMap((x) => [0.1, 0.5, 0.9].map((y) => [left + x * width, top + y * height]))
  const isSeen = points.some(([x, y]) => {
    const top = document.elementFromPoint(x, y)
    return top && (focused.contains(top) || top.contains(focused) || top.closest('label')?.control === focused)
  })
  return { isReached: focused === target, hidden: isSeen ? undefined : focused.outerHTML.slice(0, 200) }`,
) as (target: unknown) => { readonly isReached: boolean; readonly hidden: string | undefined }

/** Enter on a link or button. */
export async function activate(page: Page, target: Locator, key?: 'Tab' | 'Shift+Tab'): Promise<void> {
  await reach(page, target, key)
  await page.keyboard.press('Enter')
}

/** Replaces the text of an input. */
export async function write(page: Page, target: Locator, text: string): Promise<void> {
  await reach(page, target)
  await page.keyboard.press('Control+a')
  await page.keyboard.type(text)
}

/** Tab goes to the first button of a group; arrow keys choose among them. */
export async function pick(page: Page, group: Locator, target: Locator): Promise<void> {
  const buttons = await group.getByRole('radio').all()
  assert.ok(buttons[0])
  await reach(page, buttons[0])
  for (let at = 1; at < buttons.length && !(await target.isChecked()); at += 1) {
    await page.keyboard.press('ArrowDown')
  }
  assert.equal(await target.isChecked(), true)
}

/** Space on a checkbox. */
export async function check(page: Page, target: Locator, key?: 'Tab' | 'Shift+Tab'): Promise<void> {
  await reach(page, target, key)
  await page.keyboard.press('Space')
  assert.equal(await target.isChecked(), true)
}

/** Types the beginning of an option of a select. */
export async function choose(page: Page, target: Locator, option: string): Promise<void> {
  await reach(page, target)
  await page.keyboard.type(option)
  assert.equal(
    await target.evaluate((select: { selectedOptions: ArrayLike<{ text: string }> }) => {
      return select.selectedOptions[0]?.text
    }),
    option,
  )
}

/** Signs in on the page /sign-in. */
export async function signInByKeys(page: Page, login: string, password: string): Promise<void> {
  await page.goto('/sign-in')
  await write(page, page.locator('#login'), login)
  await write(page, page.locator('#password'), password)
  await page.keyboard.press('Enter')
  await page.locator('.account > button').waitFor()
}
