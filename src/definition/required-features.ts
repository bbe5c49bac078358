/** The features that a definition needs: a service may lack some. */

import {
  type DeclaredService,
  type DefinitionPart,
  type FeatureOption,
  signInOption,
} from './definition-part.ts'

/** Reports each part of the definition that no feature understands. */
export function requireFeatures(parts: readonly DefinitionPart[], declared: DeclaredService): void {
  const known = new Set(parts.flatMap(({ options }) => options))
  for (const [option, isUsed] of Object.entries(uses)) {
    if (known.has(option as FeatureOption) || !isUsed(declared)) continue
    declared.faults.at()(
      `This service has no feature for ${option}.`,
      'Remove it, or add the feature to src/service/features.ts.',
    )
  }
}

/** Whether the definition needs a feature that understands the option. */
const uses: Readonly<Record<FeatureOption, (declared: DeclaredService) => boolean>> = {
  webhooks: ({ options }) => options.webhooks !== undefined,
  mail: ({ options }) => options.mail !== undefined,
  invitations: ({ options }) => options.invitations !== undefined,
  signIn: ({ options }) => options.signIn !== undefined,
  'signIn.links': ({ options }) => signInOption(options, 'links') !== undefined,
  'signIn.providers': ({ options }) => signInOption(options, 'providers') !== undefined,
  accounts: ({ accountsOptions }) => accountsOptions !== undefined,
  'accounts.secondFactor': ({ accountsOptions }) => (accountsOptions?.secondFactor ?? []).length > 0,
  'accounts.signUp': ({ accountsOptions }) => accountsOptions?.signUp !== undefined,
  history: ({ declarations }) => declarations.values().some(({ options }) => options.history !== undefined),
  files: ({ options }) => options.files !== undefined,
  'file()': hasFileFields,
  logic: ({ logic }) => logic.size > 0,
  site: ({ options }) => options.site !== undefined,
  routes: ({ routes }) => routes !== undefined,
}

/** Whether a resource has a field for files. */
export function hasFileFields({ declarations }: Pick<DeclaredService, 'declarations'>): boolean {
  return declarations
    .values()
    .some(({ fields }) =>
      fields.some(({ declared, item }) => (item?.declared ?? declared).kind.shape === 'file'),
    )
}
