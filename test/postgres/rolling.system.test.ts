/** Rolling deploys on PostgreSQL: nodes with the old and the new definition serve side by side. */

import { postgres } from '../postgres.ts'
import { rollingContract } from '../store/rolling-contract.ts'

rollingContract('PostgreSQL', async () => (await postgres()).freshUrl(), 'side by side')
