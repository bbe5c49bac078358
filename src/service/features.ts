/** The list of features. A service does without one whose folder and line are removed. */

import { accounts } from '../features/accounts/feature.ts'
import { audit } from '../features/audit/feature.ts'
import { files } from '../features/files/feature.ts'
import { history } from '../features/history/feature.ts'
import { logic } from '../features/logic/feature.ts'
import { mail } from '../features/mail/feature.ts'
import { providers } from '../features/providers/feature.ts'
import { routes } from '../features/routes/feature.ts'
import { secondFactors } from '../features/second-factors/feature.ts'
import { signIn } from '../features/sign-in/feature.ts'
import { signInLinks } from '../features/sign-in-links/feature.ts'
import { site } from '../features/site/feature.ts'
import { webhooks } from '../features/webhooks/feature.ts'
import type { Feature } from './feature.ts'

/** In the order of their tables, checks and documents. */
export const features: readonly Feature[] = [
  audit,
  history,
  signIn,
  secondFactors,
  accounts,
  webhooks,
  mail,
  providers,
  signInLinks,
  logic,
  routes,
  files,
  site,
]
