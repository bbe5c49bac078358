/** Items and their forms, as a browser sends them. */

import assert from 'node:assert/strict'
import type { TestService } from '../service.ts'
import { wholeNote } from './every-kind.ts'
import { formOf, type SubmittedForm } from './submitted-form.ts'

export const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
export const formed = { ...browser, 'content-type': 'application/x-www-form-urlencoded' }
export async function made(
  s: TestService,
  body: unknown = wholeNote,
  collection = '/notes',
): Promise<string> {
  const { status, fields: sent, text: answer } = await s.request(`POST ${collection}`, {}, body)
  assert.equal(status, 201, answer)
  return String(sent.location)
}

export async function formAt(s: TestService, uri: string, wanted: RegExp): Promise<SubmittedForm> {
  return formOf((await s.request(`GET ${uri}`, browser)).text, wanted)
}

export function send(s: TestService, { action, content }: SubmittedForm) {
  return s.request(`POST ${action}`, formed, content)
}

export async function itemAt(s: TestService, uri: string) {
  const { updatedAt: _, ...item } = (await s.request(`GET ${uri}`)).json
  return item
}
