/** The types of built-in operations, and of what they show once, in the generated client. */

import { type ItemOperation, operationsOf } from '../definition/item-operations.ts'
import type { AudienceResource } from './permitted-resources.ts'

/** The operations of a built-in resource, as actions; undefined where it has none. */
export function formatOperations({ resource }: AudienceResource, row: string): string | undefined {
  const names = operationsOf(resource.builtIn)
  if (names.length === 0) return undefined
  const members = names.map((name) => {
    const result = shownBy[name]?.(row) ?? 'undefined'
    const input = name === 'confirm' ? confirmationType : 'Record<never, never>'
    return `      readonly ${name}: { readonly on: 'item'; readonly input: ${input}; readonly result: ${result} }\n`
  })
  return `{\n${members.join('')}    }`
}

/** The content of the responses to operations. */
const shownBy: Partial<Record<ItemOperation, (row: string) => string>> = {
  rotate: (row) => `${row} & { readonly secret: string }`,
  cancel: (row) => row,
  confirm: () => '{ readonly id: string; readonly recoveryCodes?: readonly string[] }',
}

/** A code of an authenticator, or the response of a passkey. */
const confirmationType = '{ readonly code: string } | { readonly response: unknown }'

/** The members of a new credential that are shown once, depending on its kind. */
export const newCredentialType =
  '{ readonly secret?: string; readonly uri?: string; readonly options?: unknown; readonly recoveryCodes?: readonly string[] }'
