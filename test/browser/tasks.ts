/** Tasks of people, each tried by keyboard only, with script and without; by default each in one of the ways. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { someOf } from '../cases.ts'
import type { TestService } from '../service.ts'
import { type Visitor, visitor, whyNoBrowser } from './browser.ts'
import { signInByKeys } from './keyboard.ts'

export type Task = (page: Page, service: TestService) => Promise<void>

export interface TaskPlace {
  /** The service, which the tasks of a file share. */
  readonly service: () => TestService | undefined
  readonly login: Login
}

interface Login {
  readonly login: string
  readonly password: string
}

/** A test of the task with script, and one without; by default one of the two. */
export function testTask(title: string, { service, login }: TaskPlace, run: Task): void {
  for (const script of someOf([true, false], 1)) {
    const way = script ? 'with' : 'without'
    test(`${title}, by keyboard, ${way} script`, { skip: whyNoBrowser() ?? false }, async () => {
      const opened = service()
      assert.ok(opened)
      const { page, complaints } = await findVisitor(opened, login, script)
      await run(page, opened)
      assert.deepEqual(complaints, [])
    })
  }
}

const visitors = new Map<string, Visitor>()

/** The visitor with this login, who signs in by keyboard before the first task. */
async function findVisitor({ url }: TestService, { login, password }: Login, script: boolean) {
  const key = `${url} ${login} ${script}`
  const known = visitors.get(key)
  if (known) return known
  const arrived = await visitor(url, { script })
  await signInByKeys(arrived.page, login, password)
  visitors.set(key, arrived)
  return arrived
}
