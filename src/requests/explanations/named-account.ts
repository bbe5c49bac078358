/** Accounts that an administrator names: in URIs by id, because logs keep them; in forms by login. */

import { accountFromRow, findAccountRow } from '../../access/basic-scheme.ts'
import type { Account } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import { createInputModel } from '../../definition/input-model.ts'
import type { AccountsModel, ResourceModel } from '../../definition/model.ts'
import { loginField } from '../../definition/sign-in-fields.ts'
import { formatQueryString, parseQueryString } from '../../http/query-string.ts'
import { invalidParameter } from '../../query/query-parameter.ts'
import { invalidContent } from '../../refusal.ts'
import { all, never } from '../../store/condition.ts'
import type { Row } from '../../store/row.ts'
import { readField } from '../../store/row-fields.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import { createRowChecks } from '../../views/row-checks.ts'
import { idOf } from '../../views/uri.ts'
import type { DocumentForm, DocumentQuery } from '../context/target.ts'
import { findById } from '../read/find-item.ts'

type Asking = Pick<DocumentQuery, 'service' | 'caller'>

export interface NamedAccount {
  readonly resource: ResourceModel
  readonly row: Row
  readonly login: string
  /** The account as a caller with its password. */
  readonly principal: Account
}

/** The account with the id; refuses 400 unless the administrator may read it and its login, and where it is disabled. */
export async function loadNamedAccount(asking: Asking, parameter: string, id: string): Promise<NamedAccount> {
  const { accounts } = asking.service.model
  const row = accounts && (await findReadable(asking, accounts, id))
  if (!accounts || !row) throw invalidParameter(parameter, 'must be the id of an account that you may read')
  const principal = accountFromRow(accounts, row)
  if (!principal) throw invalidParameter(parameter, 'names a disabled account, whose requests are all 401')
  const { resource, login } = accounts
  return { resource, row, login: String(readField(resource, row, login.name)), principal }
}

async function findReadable({ service, caller }: Asking, accounts: AccountsModel, id: string) {
  const { resource, login } = accounts
  const { read, visibility } = rightsOf(resource, caller)
  const needed = all([read, visibility.get(login) ?? never])
  const checks = createRowChecks(resource, [needed])
  const row = await findById(service.store, resource, id, checks.conditions)
  return row && checks.readResults(row)(needed) ? row : undefined
}

/** The form that finds an account by its login, and leads to the document with its id in the parameter. */
export function accountLookup(title: string, parameter: string): DocumentForm {
  return {
    title,
    status: 303,
    autocomplete: { login: 'off' },
    input: memoizeByObject(({ accounts }) =>
      createInputModel('account', accounts ? [loginField(accounts)] : []),
    ),
    async submit({ service, request, target, caller, members }) {
      const id = await findIdByLogin({ service, caller }, String(members.login))
      if (id === undefined) throw invalidContent([unknownLogin])
      const [, query = ''] = request.target.split('?', 2)
      const others = (parseQueryString(query) ?? []).filter(([name]) => name !== parameter)
      return { next: `${target.path}?${formatQueryString([...others, [parameter, id]])}` }
    },
  }
}

const unknownLogin = {
  pointer: '/login',
  rule: 'reference',
  detail: 'There is no such account, or you may not read it.',
} as const

async function findIdByLogin(asking: Asking, login: string): Promise<string | undefined> {
  const { model, store } = asking.service
  const { accounts } = model
  const row = accounts && (await findAccountRow(accounts, store, login))
  if (!accounts || !row) return undefined
  const id = idOf(accounts.resource, row)
  return (await findReadable(asking, accounts, id)) && id
}
