/** The code of second factors, which services with accounts load. */

import { credentialsTable } from '../../definition/credentials-resource.ts'
import type { RequestsPart } from '../../requests/feature-code.ts'
import { createCredential } from './create-credential.ts'
import { confirmCredential, prepareRevocation } from './credential-operations.ts'
import { passkey } from './passkeys/passkey-document.ts'
import { secondFactor } from './second-factor-document.ts'

export const secondFactorsParts = {
  requests: {
    documents: [secondFactor, passkey],
    tables: [
      [
        credentialsTable,
        {
          create: createCredential,
          actions: { confirm: confirmCredential },
          prepareDeletion: prepareRevocation,
        },
      ],
    ],
  } satisfies RequestsPart,
}
