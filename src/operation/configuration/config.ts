/** Reads the configuration from flags and environment. No other module reads the environment. */

import type { Networks } from '../../http/ip-network.ts'
import { isPostgresUrl } from '../../store/postgres/connection/database-url.ts'
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
import { type Flags, type FlagTable, parseFlags } from './flags.ts'

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

/** Returns the value that is read. Throws an OperatorFault with all faults that were added, one per line. */
function withoutFaults<Value extends object>(read: (faults: string[]) => Value): Readonly<Value> {
  const faults: string[] = []
  const value = read(faults)
  if (faults.length > 0) throw new OperatorFault(faults.join('\n'))
  return Object.freeze(value)
}

type Environment = Readonly<Record<string, string | undefined>>

/** Reads the configuration of `restwell dev`. Throws an OperatorFault. */
export function readDevConfig(args: readonly string[]): Config {
  return readConfig(args, process.env, devFlags)
}

const serveFlags = {
  values: ['port', 'host', 'database', 'workers'],
  lists: ['service', 'trust-proxy'],
} as const satisfies FlagTable

const devFlags = { ...serveFlags, values: [...serveFlags.values, 'site'] } as const satisfies FlagTable

/** Reads the configuration of `restwell serve`; flags override the environment. Throws an OperatorFault. */
export function readConfig(
  args: readonly string[],
  environment: Environment = process.env,
  flags: FlagTable = serveFlags,
): Config {
  const { words, values, lists } = parseFlags(args, flags)
  const [file = 'service.ts', ...others] = [...words, ...(lists.service ?? [])]
  return withoutFaults((faults) => {
    const database = readDatabase(values.database, environment, faults)
    const config: Config = {
      file,
      host: values.host ?? environment.HOST ?? 'localhost',
      port: parsePort(values.port ?? environment.PORT ?? '3000', faults),
      database,
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
      trusted: parseTrustedNetworks(lists['trust-proxy'] ?? [environment.RESTWELL_TRUST_PROXY ?? ''], faults),
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
    if (config.replicas.length > 0 && !isPostgresUrl(database)) {
      faults.push('DATABASE_REPLICAS needs a PostgreSQL database. Set DATABASE_URL to postgres://…')
    }
    if (others.length > 0) faults.push(`Expected one definition file, got ${others.length + 1}.`)
    return config
  })
}

function readSecretKeys(environment: Environment, faults: string[]): readonly Uint8Array[] {
  return parseSecretKeys(
    { text: environment.RESTWELL_SECRET_KEY, file: environment.RESTWELL_SECRET_KEY_FILE },
    faults,
  )
}

/** The database that `restwell check` compares with the keys. Throws an OperatorFault. */
export function readSecretsConfig(
  named: string | undefined,
  environment: Environment = process.env,
): Pick<Config, 'database' | 'secretKeys'> {
  return withoutFaults((faults) => ({
    database: readDatabase(named, environment, faults),
    secretKeys: readSecretKeys(environment, faults),
  }))
}

/** The values of the variables that a definition names. Throws an OperatorFault with all that are missing. */
export function readVariables(
  names: Iterable<string>,
  environment: Environment = process.env,
): ReadonlyMap<string, string> {
  const all = [...names]
  const missing = all.filter((name) => !environment[name])
  if (missing.length > 0) {
    throw new OperatorFault(`The definition names variables that are not set. Set ${missing.join(', ')}.`)
  }
  return new Map(all.map((name) => [name, environment[name] ?? '']))
}

/** The configuration of `restwell user` and other commands on a database, with their own flags. */
export interface CommandConfig extends Flags {
  readonly file: string
  readonly database: string
  /** The URL of the place of files; undefined: beside the database. */
  readonly files: string | undefined
  /** The keys that encrypt the secrets in the database. */
  readonly secretKeys: readonly Uint8Array[]
}

/** Throws an OperatorFault. */
export function readCommandConfig(args: readonly string[], own: FlagTable): CommandConfig {
  const flags = parseFlags(args, { ...own, values: ['service', 'database', ...(own.values ?? [])] })
  const { service: file = 'service.ts', database } = flags.values
  return withoutFaults((faults) => ({
    ...flags,
    file,
    database: readDatabase(database, process.env, faults),
    files: parseFilesUrl(process.env.FILES_URL, s3Defaults(process.env), faults),
    secretKeys: readSecretKeys(process.env, faults),
  }))
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

export interface CopyConfig {
  readonly file: string
  readonly from: string
  readonly to: string
  /** The URLs of the places of files: FILES_URL where no flag names one; undefined: beside the databases. */
  readonly fromFiles: string | undefined
  readonly toFiles: string | undefined
}

/** Reads the configuration of `restwell copy`. Throws an OperatorFault. */
export function readCopyConfig(args: readonly string[]): CopyConfig {
  const { words, values } = parseFlags(args, { values: ['service', 'from-files', 'to-files'] })
  const [from = '', to = ''] = words
  return withoutFaults((faults) => {
    if (words.length !== 2 || from === to) {
      faults.push(
        'Expected two different databases, such as: restwell copy file:data/restwell.db postgres://…',
      )
    } else for (const url of words) parseDatabase(url, faults)
    const filesOf = (named: string | undefined) =>
      parseFilesUrl(named ?? process.env.FILES_URL, s3Defaults(process.env), faults)
    const [fromFiles, toFiles] = [filesOf(values['from-files']), filesOf(values['to-files'])]
    return { file: values.service ?? 'service.ts', from, to, fromFiles, toFiles }
  })
}

/** The database that is named, else that of the environment, else one in the working directory. */
function readDatabase(named: string | undefined, environment: Environment, faults: string[]): string {
  return parseDatabase(named ?? environment.DATABASE_URL ?? 'file:data/restwell.db', faults)
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
