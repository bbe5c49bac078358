/** Signing in and out on pages, with sessions in cookies. */

import { type FaultList, prefixReport } from '../../definition/definition-fault.ts'
import type { DefinitionPart } from '../../definition/definition-part.ts'
import type { Model } from '../../definition/model.ts'
import { anyValue, booleanOption, checkOptions, type OptionTable } from '../../definition/option-table.ts'

export const signInOptionTable = { links: booleanOption, providers: anyValue } satisfies OptionTable

export function checkSignIn(given: unknown, hasAccounts: boolean, faults: FaultList): void {
  if (given === undefined) return
  const report = prefixReport('signIn', faults.at())
  const { links, providers } = checkOptions(given, signInOptionTable, report)
  if (!hasAccounts) report('Sign-in needs accounts, but the service declares none.')
  if (links !== undefined || providers !== undefined) return
  report('The option names no way to sign in.', 'Write links: true, or providers: [oidc({ … })].')
}

export const signIn = {
  name: 'sign-in',
  definition: {
    options: ['signIn'],
    resolve({ options, accounts, faults }) {
      checkSignIn(options.signIn, accounts !== undefined, faults)
      return {}
    },
  } satisfies DefinitionPart,
  isUsed: ({ accounts }: Model) => accounts !== undefined,
  load: async () => (await import('./parts.ts')).signInParts,
}
