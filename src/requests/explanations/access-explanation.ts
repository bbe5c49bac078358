/** The explanation of an account's access to an item: its parameter and its schema. */

import type { JsonSchema } from '../../definition/model.ts'
import type { EntryTable } from '../../views/view.ts'

/** Names the account by its id. */
export const accountParameter = 'account'

/** The scope of a token that may use explanations and previews: they are for those who read the audit. */
export const explanationScope = 'audit'

export const explanationTable: EntryTable = {
  title: 'Access of {1}',
  empty: 'No account is chosen yet.',
  columns: [
    { name: 'operation', label: 'What', shows: 'label' },
    { name: 'name', label: 'Name', shows: 'code' },
    { name: 'allowed', label: 'Allowed' },
    { name: 'rule', label: 'Rule', shows: 'english' },
    { name: 'because', label: 'Why', shows: 'english' },
  ],
}

export const accessExplanationSchema: JsonSchema = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      operation: {
        enum: ['read', 'update', 'delete', 'history', 'see', 'set', 'transition', 'action', 'query'],
      },
      // Of the field, transition or action.
      name: { type: 'string' },
      allowed: { type: 'boolean' },
      rule: { type: 'string' },
      because: { type: 'string' },
    },
    required: ['operation', 'allowed', 'rule', 'because'],
  },
}
