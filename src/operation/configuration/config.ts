/** Reads the configuration from flags and environment. No other module reads the environment. */

import type { ParseArgsOptionsConfig } from 'node:util'
import type { Networks } from '../../http/ip-network.ts'
import { isPostgresUrl } from '../../store/postgres/connection/database-url.ts'
import type { parseArgs } from '../../tools/node-builtins.ts'
import { OperatorFault } from '../../tools/operator-fault.ts'
import {
  completeBackupPlace,
  parseAdmin,
  parseFilesUrl,
  parseMailUrl,
  parsePageOctets,
  parsePort,
  parsePublicUrl,
  parseRate,
  parseReplicas,
  parseSecretKeys,
  parseSite,
  parseSwitch,
  parseTracing,
  parseTrustedNetworks,
  parseWorkers,
  s3Defaults,
  type TracingConfig,
} from './config-values.ts'
import { parseFlags } from './flags.ts'

export interface Config {
  readonly file: string
  readonly host: string
  readonly port: number
  readonly database: string
  /** The URL of the place of files; undefined: beside the database. */
  readonly files: string | undefined
  /** PostgreSQL standbys for reads that may be stale. */
  readonly replicas: readonly string[]
  /** The keys that encrypt the secrets in the database: the first one, while all decrypt. */
  readonly secretKeys: readonly Uint8Array[]
  /** The first account; undefined: a password is generated and printed. */
  readonly admin: { readonly login: string; readonly password: string } | undefined
  /** Whether a definition's sample rows are written on first start. */
  readonly sample: boolean
  readonly logLevel: LogLevel
  /** Requests per minute and caller. */
  readonly rate: number | 'off'
  /** The public URI of the entry point; undefined: the URI of each request. */
  readonly publicUrl: string | undefined
  /** The URL of the mail server; `page`: `/mails` shows the mails; undefined: there is none. */
  readonly mail: string | undefined
  /** The largest size of a page of a list, in octets. */
  readonly pageOctets: number
  /** The number of processes that handle requests. */
  readonly workers: number
  /** The networks of trusted proxies. */
  readonly trusted: Networks
  /** The place of backups whose age is shown; undefined: none is shown. */
  readonly backups: string | undefined
  /** Where spans are sent; undefined: there are no traces. */
  readonly tracing: TracingConfig | undefined
  /** The development server of the front end; undefined: there is none. Only `restwell dev` has its flag. */
  readonly site: URL | undefined
}

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** All faults of the flags and the environment, one per line. */
export class ConfigFault extends OperatorFault {
  constructor(faults: readonly string[]) {
    super(faults.join('\n'))
  }
}

type Environment = Readonly<Record<string, string | undefined>>

/** Reads the configuration of `restwell dev`. Throws a ConfigFault. */
export function readDevConfig(args: readonly string[]): Config {
  return readConfig(args, process.env, devFlags)
}

/** Reads the configuration of `restwell serve`; flags override the environment. Throws a ConfigFault. */
export function readConfig(
  args: readonly string[],
  environment: Environment = process.env,
  flags: FlagTable = serveFlags,
): Config {
  const faults: string[] = []
  const { values, positionals } = parseServeFlags(args, flags, faults)
  const config: Config = {
    file: positionals[0] ?? 'service.ts',
    host: values.host ?? environment.HOST ?? 'localhost',
    port: parsePort(values.port ?? environment.PORT ?? '3000', faults),
    database: parseDatabase(values.database ?? environment.DATABASE_URL ?? defaultDatabase, faults),
    files: parseFilesUrl(environment.FILES_URL, s3Defaults(environment), faults),
    replicas: parseReplicas(environment.DATABASE_REPLICAS ?? '', faults),
    secretKeys: readSecretKeys(environment, faults),
    admin: parseAdmin(environment.RESTWELL_ADMIN, faults),
    sample: parseSwitch('RESTWELL_SAMPLE', environment.RESTWELL_SAMPLE, faults),
    logLevel: parseLogLevel(environment.LOG_LEVEL ?? 'info', faults),
    rate: parseRate(environment.RESTWELL_RATE ?? '1200', faults),
    publicUrl: parsePublicUrl(environment.PUBLIC_URL, faults),
    mail: parseMailUrl(environment.MAIL_URL, faults),
    pageOctets: parsePageOctets(environment.RESTWELL_PAGE_OCTETS, faults),
    workers: parseWorkers(values.workers ?? environment.WORKERS ?? '1', faults),
    trusted: parseTrustedNetworks(values['trust-proxy'] ?? [environment.RESTWELL_TRUST_PROXY ?? ''], faults),
    backups: readBackupEnvironment(environment).place,
    tracing: parseTracing(
      {
        endpoint: environment.OTEL_EXPORTER_OTLP_ENDPOINT,
        fields: environment.OTEL_EXPORTER_OTLP_HEADERS,
        service: environment.OTEL_SERVICE_NAME,
        sampler: environment.OTEL_TRACES_SAMPLER,
        ratio: environment.OTEL_TRACES_SAMPLER_ARG,
      },
      faults,
    ),
    site: parseSite(values.site, faults),
  }
  if (config.replicas.length > 0 && !isPostgresUrl(config.database)) {
    faults.push('DATABASE_REPLICAS needs a PostgreSQL database. Set DATABASE_URL to postgres://…')
  }
  if (positionals.length > 1) faults.push(`Expected one definition file, got ${positionals.length}.`)
  if (faults.length > 0) throw new ConfigFault(faults)
  return Object.freeze(config)
}

function readSecretKeys(environment: Environment, faults: string[]): readonly Uint8Array[] {
  return parseSecretKeys(
    { text: environment.RESTWELL_SECRET_KEY, file: environment.RESTWELL_SECRET_KEY_FILE },
    faults,
  )
}

/** The database that `restwell check` compares with the keys. Throws a ConfigFault. */
export function readSecretsConfig(
  named: string | undefined,
  environment: Environment = process.env,
): Pick<Config, 'database' | 'secretKeys'> {
  const faults: string[] = []
  const database = parseDatabase(named ?? environment.DATABASE_URL ?? defaultDatabase, faults)
  const secretKeys = readSecretKeys(environment, faults)
  if (faults.length > 0) throw new ConfigFault(faults)
  return { database, secretKeys }
}

/** The values of the variables that a definition names. Throws a ConfigFault with all that are missing. */
export function readVariables(
  names: Iterable<string>,
  environment: Environment = process.env,
): ReadonlyMap<string, string> {
  const all = [...names]
  const missing = all.filter((name) => !environment[name])
  if (missing.length > 0) {
    throw new ConfigFault([`The definition names variables that are not set. Set ${missing.join(', ')}.`])
  }
  return new Map(all.map((name) => [name, environment[name] ?? '']))
}

export interface AccountCommandConfig {
  readonly file: string
  readonly database: string
  readonly words: readonly string[]
  /** The values of each flag, in order. */
  readonly values: Readonly<Record<string, readonly string[] | undefined>>
  /** The names of the flags without a value that are set. */
  readonly switches: ReadonlySet<string>
  /** The URL of the place of files; undefined: beside the database. */
  readonly files: string | undefined
  /** The keys that encrypt the secrets in the database. */
  readonly secretKeys: readonly Uint8Array[]
}

export interface AccountCommandFlags {
  readonly values: readonly string[]
  readonly switches: readonly string[]
}

/** Reads the configuration of `restwell user` and other commands on a database. Throws a ConfigFault. */
export function readAccountCommandConfig(
  args: readonly string[],
  own: AccountCommandFlags,
  environment: Environment = process.env,
): AccountCommandConfig {
  const faults: string[] = []
  const named = ['service', 'database', ...own.values]
  const options = Object.fromEntries([
    ...named.map((name) => [name, { type: 'string', multiple: true }]),
    ...own.switches.map((name) => [name, { type: 'boolean' }]),
  ])
  const { values, positionals } = parseOptions(args, options, faults)
  const texts = values as AccountCommandConfig['values']
  const database = texts.database?.at(-1) ?? environment.DATABASE_URL ?? defaultDatabase
  const config: AccountCommandConfig = {
    file: texts.service?.at(-1) ?? 'service.ts',
    database: parseDatabase(database, faults),
    words: positionals,
    values: texts,
    switches: new Set(own.switches.filter((name) => Object.hasOwn(values, name))),
    files: parseFilesUrl(environment.FILES_URL, s3Defaults(environment), faults),
    secretKeys: readSecretKeys(environment, faults),
  }
  if (faults.length > 0) throw new ConfigFault(faults)
  return Object.freeze(config)
}

export interface BackupEnvironment {
  /** A folder or an `s3:` URL. */
  readonly place: string | undefined
  /** The key that encrypts them, as text. */
  readonly key: string | undefined
  /** Adds to an `s3:` URL what it does not say. */
  complete(place: string): string
}

export function readBackupEnvironment(environment: Environment = process.env): BackupEnvironment {
  const place = environment.RESTWELL_BACKUPS || undefined
  const complete = (text: string) => completeBackupPlace(text, s3Defaults(environment))
  return { place: place && complete(place), key: environment.RESTWELL_BACKUP_KEY || undefined, complete }
}

export interface MigrationConfig {
  readonly file: string
  readonly database: string
  readonly action: 'show' | 'check' | 'apply'
  readonly extent: 'safe' | 'all'
}

const migrationFlags = {
  database: { type: 'string' },
  check: { type: 'boolean' },
  apply: { type: 'boolean' },
  'allow-loss': { type: 'boolean' },
} as const

/** Reads the configuration of `restwell migrate`. Throws a ConfigFault. */
export function readMigrationConfig(
  args: readonly string[],
  environment: Environment = process.env,
): MigrationConfig {
  const faults: string[] = []
  const { values, positionals } = parseMigrationFlags(args)
  if (values.check && values.apply) faults.push('Use --check or --apply, not both.')
  if (values['allow-loss'] && !values.apply) faults.push('--allow-loss needs --apply.')
  const config: MigrationConfig = {
    file: positionals[0] ?? 'service.ts',
    database: parseDatabase(values.database ?? environment.DATABASE_URL ?? defaultDatabase, faults),
    action: values.apply ? 'apply' : values.check ? 'check' : 'show',
    extent: values['allow-loss'] ? 'all' : 'safe',
  }
  if (faults.length > 0) throw new ConfigFault(faults)
  return Object.freeze(config)
}

export interface CopyConfig {
  readonly file: string
  readonly from: string
  readonly to: string
  /** The URLs of the places of files: FILES_URL where no flag names one; undefined: beside the databases. */
  readonly fromFiles: string | undefined
  readonly toFiles: string | undefined
}

/** Reads the configuration of `restwell copy`. Throws a ConfigFault. */
export function readCopyConfig(args: readonly string[]): CopyConfig {
  const faults: string[] = []
  const text = { type: 'string' } as const
  const options = { service: text, 'from-files': text, 'to-files': text }
  const { values, positionals } = parseOptions(args, options, faults)
  const [from = '', to = ''] = positionals
  if (faults.length === 0 && (positionals.length !== 2 || from === to)) {
    faults.push('Expected two different databases, such as: restwell copy file:data/restwell.db postgres://…')
  }
  if (faults.length === 0) for (const url of [from, to]) parseDatabase(url, faults)
  // The flags take a value, so their values are strings.
  const { service, ...files } = values as Readonly<Record<string, string | undefined>>
  const parseFiles = (flag: string) =>
    parseFilesUrl(files[flag] ?? process.env.FILES_URL, s3Defaults(process.env), faults)
  const [fromFiles, toFiles] = [parseFiles('from-files'), parseFiles('to-files')]
  if (faults.length > 0) throw new ConfigFault(faults)
  return Object.freeze({ file: service ?? 'service.ts', from, to, fromFiles, toFiles })
}

function parseOptions(args: readonly string[], options: ParseArgsOptionsConfig, faults: string[]) {
  try {
    return parseFlags(args, options)
  } catch (error) {
    faults.push(error instanceof Error ? error.message : String(error))
    return { values: {}, positionals: [] }
  }
}

const defaultDatabase = 'file:data/restwell.db'

function parseMigrationFlags(args: readonly string[]) {
  try {
    return parseFlags(args, migrationFlags)
  } catch (error) {
    throw new ConfigFault([error instanceof Error ? error.message : String(error)])
  }
}

const serveFlags = {
  service: { type: 'string', multiple: true },
  port: { type: 'string' },
  host: { type: 'string' },
  database: { type: 'string' },
  workers: { type: 'string' },
  'trust-proxy': { type: 'string', multiple: true },
} as const

const devFlags = { ...serveFlags, site: { type: 'string' } } as const

type FlagTable = typeof serveFlags | typeof devFlags
type Flags = ReturnType<typeof parseArgs<{ options: typeof devFlags }>>['values']

function parseServeFlags(args: readonly string[], flags: FlagTable, faults: string[]) {
  try {
    // Where the table lacks a flag, its value is undefined.
    const { values, positionals } = parseFlags(args, flags as typeof devFlags)
    return { values, positionals: [...positionals, ...(values.service ?? [])] }
  } catch (error) {
    faults.push(error instanceof Error ? error.message : String(error))
    return { values: {} as Flags, positionals: [] }
  }
}

function parseDatabase(url: string, faults: string[]): string {
  if (!url.startsWith('file:') && !isPostgresUrl(url)) {
    const forms = `'file:' and a path, 'file::memory:' or 'postgres://…'`
    faults.push(`The database must be ${forms}, not '${url}'.`)
  }
  return url
}

function parseLogLevel(text: string, faults: string[]): LogLevel {
  const level = logLevels.find((known) => known === text)
  if (!level) faults.push(`LOG_LEVEL must be one of ${logLevels.join(', ')}, not '${text}'.`)
  return level ?? 'info'
}
