/** Signing in by a link in a mail. */

import { prefixReport } from '../../definition/definition-fault.ts'
import { type DefinitionPart, reportTakenPath, signInOption } from '../../definition/definition-part.ts'
import type { Model } from '../../definition/model.ts'

export const signInLinks = {
  name: 'sign-in-links',
  definition: {
    options: ['signIn.links'],
    resolve({ options, paths, declarations, faults }) {
      const isUsed = signInOption(options, 'links') === true
      if (isUsed && options.mail === undefined) {
        const suggestion = "Add mail: { from: 'service@example.org' } to the service."
        prefixReport('signIn', faults.at())("The option 'links' needs mail.", suggestion)
      }
      const name = paths['sign-in-links']
      if (isUsed && declarations.has(name)) {
        reportTakenPath(faults, name, 'the definition declares signIn: { links: true }')
      }
      return { accounts: { signsInByLink: isUsed } }
    },
  } satisfies DefinitionPart,
  isUsed: ({ accounts }: Model) => accounts?.signsInByLink === true,
  load: async () => (await import('./parts.ts')).signInLinksParts,
}
