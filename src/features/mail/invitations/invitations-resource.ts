/** The built-in resource `invitations`: accounts that people are invited to by mail. */

import { fieldsFor, hidden } from '../../../definition/built-in-fields.ts'
import { type BuiltInTable, findBuiltIn } from '../../../definition/built-in-table.ts'
import type { DeclaredTable } from '../../../definition/declared-table.ts'
import type { ValueField } from '../../../definition/field.ts'
import { choice } from '../../../definition/kinds/choice.ts'
import { email } from '../../../definition/kinds/email.ts'
import { json } from '../../../definition/kinds/json.ts'
import { ref } from '../../../definition/kinds/ref.ts'
import { text } from '../../../definition/kinds/text.ts'
import { timestamp } from '../../../definition/kinds/time.ts'
import type { Model, ResourceModel } from '../../../definition/model.ts'
import { resource } from '../../../definition/resource.ts'
import type { Rule } from '../../../definition/rule.ts'
import { and, or, owner } from '../../../definition/rule-functions.ts'
import type { DeclaredRoles, InvitationsSettings } from './check-invitations.ts'

export const invitationsName = 'invitations'

export const invitationsTable = {
  name: invitationsName,
  methods: ['GET', 'POST', 'DELETE'],
  outlives: true,
  menu: 'list',
  basis: ['token'],
  linkSecrets: true,
  movable: 'invitations',
  held: { account: 'invitedBy', suspension: 'deletion' },
  mostPerAccount: { owner: 'invitedBy', count: 500, items: 'open invitations' },
  keptFor: { field: 'expiresAt', seconds: 3600 },
} as const satisfies BuiltInTable

/** The member with the record that is created with the account. */
export const recordName = 'record'

export interface InvitationsDeclaration {
  /** The name of the resource of the accounts. */
  readonly accounts: string
  readonly settings: InvitationsSettings
  /** Who may read and revoke all invitations. */
  readonly administrators: Rule
}

/**
 * Returns the declaration. An invitation exists until it is accepted, revoked or expired;
 * features/mail/invitations/create-invitation.ts sets the read-only fields. The secret of its link is in the mail alone.
 */
export function declareInvitations(declaration: InvitationsDeclaration): DeclaredTable {
  const { isOwnRule, record } = declaration.settings
  return {
    table: invitationsTable,
    resource: createInvitationsResource(declaration),
    checksRules: isOwnRule,
    ...(record && { carried: { member: recordName, ...record } }),
  }
}

/** The declaration, for the types of clients. */
export type InvitationsResource = ReturnType<typeof createInvitationsResource>

function createInvitationsResource({ accounts, settings, administrators }: InvitationsDeclaration) {
  const { by, roles, record } = settings
  const own = or(administrators, and(by, owner('invitedBy')))
  return resource(
    {
      email: email(),
      ...fieldsFor(roles, (declared) => ({ role: roleField(declared) })),
      invitedBy: ref(accounts, { onDelete: 'cascade' }).fromPrincipal(),
      expiresAt: timestamp().optional().readOnly(),
      /** The token that it was made with; none: the account itself. */
      token: hidden(text({ max: 100 }).optional()),
      ...fieldsFor(record, () => ({
        /** As it was sent: it is judged again when it is created. Administrators may lack the right to see it. */
        [recordName]: json().optional().readOnly().visibleTo(owner('invitedBy')),
        /** Its resource, and the identities that its references named: their ids may name other items later. */
        recordTargets: hidden(json().optional()),
      })),
    },
    {
      access: { read: own, create: by, delete: own },
      methods: invitationsTable.methods,
      index: ['expiresAt'],
    },
  )
}

/** Clients may leave it out: they do not know whether it has a default. */
function roleField({ names, usual }: DeclaredRoles): ValueField<string, 'optional' | 'default'> {
  const field = choice(names)
  return usual === undefined ? field : field.default(usual)
}

/** The resource of invitations; undefined for a service without mail. */
export function invitationsOf({ resources }: Pick<Model, 'resources'>): ResourceModel | undefined {
  return findBuiltIn(resources, invitationsTable)
}
