/** A program whose service does not open: it prints why, and then has nothing left to do. Its argument is a database. */

import { anyone, email, env, file, oidc, openService, password, resource, service } from 'restwell'

const users = resource(
  { login: email().unique(), password: password({ min: 12 }) },
  { access: { read: anyone } },
)
const films = resource({ film: file({ types: ['*/*'], max: '6 GB' }) }, { access: { read: anyone } })
const [database = '', reason] = process.argv.slice(2)
const example = oidc({
  name: 'example',
  issuer: 'https://login.example.org',
  clientId: env('EXAMPLE_ID'),
  clientSecret: env('EXAMPLE_SECRET'),
})
const definition = service({
  title: 'Films',
  accounts: { resource: 'users', login: 'login', password: 'password' },
  ...(reason === 'variables' && { signIn: { providers: [example] } }),
  resources: { users, films },
})
const options =
  reason === 'files'
    ? { files: 's3://KEY:SECRET@files?endpoint=http://127.0.0.1:9' }
    : { admin: { login: 'ada@example.org', password: 'short' } }

await openService(definition, { database, ...options }).catch((error: Error) => console.log(error.message))
