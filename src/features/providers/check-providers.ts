/** Checks the providers that people sign in with, of the option `signIn`. */

import type { DeclaredAccounts } from '../../definition/checks/accounts.ts'
import { isTrustworthyUri } from '../../definition/checks/issuers.ts'
import { type FaultList, type FaultReport, prefixReport } from '../../definition/definition-fault.ts'
import { holdsMailAddress } from '../../definition/model.ts'
import {
  booleanOption,
  checkOptions,
  type Expectation,
  isComplete,
  nonEmptyText,
  type OptionTable,
  objectOption,
  required,
} from '../../definition/option-table.ts'
import { isSegment } from '../../definition/paths.ts'
import type { Variable } from '../../definition/provider.ts'
import type { ProviderModel } from './provider-model.ts'

const variable: Expectation<Variable> = {
  expected: "a variable of the environment, such as env('CLIENT_SECRET')",
  accepts: isVariable,
}

/** Segments after `/sign-in/` that the service has itself. */
const ownSegments: ReadonlySet<string> = new Set(['second-factor', 'passkey', 'passkeys'])

export const providerOptionTable = {
  kind: { expected: "'oidc'", accepts: (value) => value === 'oidc' },
  name: required({
    expected: "a path segment in lower case with hyphens, such as 'google', and none of the service itself",
    accepts: (value): value is string =>
      typeof value === 'string' && isSegment(value) && !ownSegments.has(value),
  }),
  issuer: required({
    expected: 'an https URI, or http on this machine',
    accepts: (value): value is string => typeof value === 'string' && isTrustworthyUri(value),
  }),
  clientId: required({
    expected: "a text, or a variable of the environment, such as env('CLIENT_ID')",
    accepts: (value): value is string | Variable => nonEmptyText.accepts(value) || isVariable(value),
  }),
  clientSecret: required(variable),
  provision: booleanOption,
} satisfies OptionTable

function isVariable(value: unknown): value is Variable {
  const { variable: name } = (value ?? {}) as { readonly variable?: unknown }
  return typeof name === 'string' && /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)
}

/** Returns the models of the providers without faults; none for a service without the option. */
export function checkProviders(
  given: unknown,
  accounts: DeclaredAccounts | undefined,
  faults: FaultList,
): readonly ProviderModel[] {
  if (given === undefined) return []
  const report = prefixReport('signIn', faults.at())
  if (!Array.isArray(given) || given.length === 0) {
    report("The option 'providers' must be a list of providers.", 'Write providers: [oidc({ … })].')
    return []
  }
  const models = given.flatMap((one) => checkProvider(one, accounts, report))
  const names = models.map(({ name }) => name)
  for (const twice of new Set(names.filter((name, at) => names.indexOf(name) !== at))) {
    report(`The provider '${twice}' is declared twice.`)
  }
  return models
}

function checkProvider(
  given: unknown,
  accounts: DeclaredAccounts | undefined,
  report: FaultReport,
): readonly ProviderModel[] {
  if (!objectOption.accepts(given) || given.kind === undefined) {
    report('Not a provider.', 'Declare it with oidc({ … }).')
    return []
  }
  const options = checkOptions(given, providerOptionTable, report)
  const isEmail = accounts?.login === undefined || holdsMailAddress(accounts.login)
  if (options.provision === true && !isEmail) {
    report(`The option 'provision' needs a login that is an email().`)
  }
  if (!isComplete(options, providerOptionTable)) return []
  const { name, issuer, clientId, clientSecret, provision = false } = options
  return [{ name, issuer, clientId, clientSecret, provision }]
}
