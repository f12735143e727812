import type { OptionExample } from '../../core/options.ts';

/**
 * Places of providers: `Provider endpoint region: code place | code place`; further lines are indented. The code of a
 * place stands for the `*` of the endpoints, which are separated by commas, and of the region; `-`: no endpoint.
 */
const PLACES = `
AWS - *: us-east-1 US East (Northern Virginia) | us-east-2 US East (Ohio) | us-west-1 US West (Northern California) |
  us-west-2 US West (Oregon) | ca-central-1 Canada (Central) | eu-west-1 EU (Ireland) | eu-west-2 EU (London) |
  eu-west-3 EU (Paris) | eu-north-1 EU (Stockholm) | eu-south-1 EU (Milan) | eu-central-1 EU (Frankfurt) |
  ap-southeast-1 Asia Pacific (Singapore) | ap-southeast-2 Asia Pacific (Sydney) | ap-northeast-1 Asia Pacific (Tokyo) |
  ap-northeast-2 Asia Pacific (Seoul) | ap-northeast-3 Asia Pacific (Osaka-Local) | ap-south-1 Asia Pacific (Mumbai) |
  ap-east-1 Asia Pacific (Hong Kong) | sa-east-1 South America (Sao Paulo) | il-central-1 Israel (Tel Aviv) | me-south-1
  Middle East (Bahrain) | af-south-1 Africa (Cape Town) | cn-north-1 China (Beijing) | cn-northwest-1 China (Ningxia) |
  us-gov-east-1 AWS GovCloud (US-East) | us-gov-west-1 AWS GovCloud (US)
Alibaba oss-*.aliyuncs.com: accelerate Global Accelerate | accelerate-overseas Global Accelerate (outside mainland
  China) | cn-hangzhou East China 1 (Hangzhou) | cn-shanghai East China 2 (Shanghai) | cn-qingdao North China 1
  (Qingdao) | cn-beijing North China 2 (Beijing) | cn-zhangjiakou North China 3 (Zhangjiakou) | cn-huhehaote North China
  5 (Hohhot) | cn-wulanchabu North China 6 (Ulanqab) | cn-shenzhen South China 1 (Shenzhen) | cn-heyuan South China 2
  (Heyuan) | cn-guangzhou South China 3 (Guangzhou) | cn-chengdu West China 1 (Chengdu) | cn-hongkong Hong Kong (Hong
  Kong) | us-west-1 US West 1 (Silicon Valley) | us-east-1 US East 1 (Virginia) | ap-southeast-1 Southeast Asia
  Southeast 1 (Singapore) | ap-southeast-2 Asia Pacific Southeast 2 (Sydney) | ap-southeast-3 Southeast Asia Southeast 3
  (Kuala Lumpur) | ap-southeast-5 Asia Pacific Southeast 5 (Jakarta) | ap-northeast-1 Asia Pacific Northeast 1 (Japan) |
  ap-south-1 Asia Pacific South 1 (Mumbai) | eu-central-1 Central Europe 1 (Frankfurt) | eu-west-1 West Europe (London)
  | me-east-1 Middle East 1 (Dubai)
ArvanCloud s3.*.arvanstorage.ir: ir-thr-at1 The default endpoint - a good choice if you are unsure | ir-tbz-sh1 Tabriz
  Iran (Shahriar)
BizflyCloud *.ss.bfcplatform.vn *: hn Hanoi | hcm Ho Chi Minh
ChinaMobile eos-*.cmecloud.cn: wuxi-1 The default endpoint - a good choice if you are unsure | jinan-1 East China
  (Jinan) | ningbo-1 East China (Hangzhou) | shanghai-1 East China (Shanghai-1) | zhengzhou-1 Central China (Zhengzhou)
  | hunan-1 Central China (Changsha-1) | zhuzhou-1 Central China (Changsha-2) | guangzhou-1 South China (Guangzhou-2) |
  dongguan-1 South China (Guangzhou-3) | beijing-1 North China (Beijing-1) | beijing-2 North China (Beijing-2) |
  beijing-4 North China (Beijing-3) | huhehaote-1 North China (Huhehaote) | chengdu-1 Southwest China (Chengdu) |
  chongqing-1 Southwest China (Chongqing) | guiyang-1 Southwest China (Guiyang) | xian-1 Nouthwest China (Xian) | yunnan
  Yunnan China (Kunming) | yunnan-2 Yunnan China (Kunming-2) | tianjin-1 Tianjin China (Tianjin) | jilin-1 Jilin China
  (Changchun) | hubei-1 Hubei China (Xiangyan) | jiangxi-1 Jiangxi China (Nanchang) | gansu-1 Gansu China (Lanzhou) |
  shanxi-1 Shanxi China (Taiyuan) | liaoning-1 Liaoning China (Shenyang) | hebei-1 Hebei China (Shijiazhuang) | fujian-1
  Fujian China (Xiamen) | guangxi-1 Guangxi China (Nanning) | anhui-1 Anhui China (Huainan)
Cloudflare - *: auto R2 buckets are automatically distributed across Cloudflare's data centers for low latency
Cubbit *: s3.cubbit.eu Cubbit DS3 Object Storage | s3.{tenant_name}.cubbit.eu Multi-tenant endpoint - replace
  {tenant_name} with your actual tenant name. Do not select this directly
Cubbit - *: eu-west-1 Europe West
DigitalOcean *.digitaloceanspaces.com: syd1 Sydney 1 | sfo3 San Francisco 3 | sfo2 San Francisco 2 | fra1 Frankfurt 1 |
  nyc3 New York 3 | ams3 Amsterdam 3 | sgp1 Singapore 1 | lon1 London 1 | tor1 Toronto 1 | blr1 Bangalore 1
Dreamhost *: objects-us-east-1.dream.io Dream Objects
Fastly *.object.fastlystorage.app *: au-east-1 AU East 1 | eu-central EU Central | eu-south-1 EU South 1 | eu-west-1 EU
  West 1 | jp-central-1 JP Central 1 | uk-east-1 UK East 1 | us-central-1 US Central 1 | us-east US East | us-east-1 US
  East 1 | us-west US West | us-west-1 US West 1
FileLu *: s5lu.com Global FileLu S5 | us.s5lu.com North America (US-East) region | eu.s5lu.com Europe (EU-Central)
  region | ap.s5lu.com Asia Pacific (AP-Southeast) region | me.s5lu.com Middle East (ME-Central) region
FileLu - *: global Global | us-east North America (US-East) | eu-central Europe (EU-Central) | ap-southeast Asia Pacific
  (AP-Southeast) | me-central Middle East (ME-Central)
GCS *: https://storage.googleapis.com Google Cloud Storage
Hetzner *.your-objectstorage.com *: hel1 Helsinki | fsn1 Falkenstein | nbg1 Nuremberg
HuaweiOBS obs.*.myhuaweicloud.com *: af-south-1 AF-Johannesburg | ap-southeast-2 AP-Bangkok | ap-southeast-3
  AP-Singapore | cn-east-3 CN East-Shanghai1 | cn-east-2 CN East-Shanghai2 | cn-north-1 CN North-Beijing1 | cn-north-4
  CN North-Beijing4 | cn-south-1 CN South-Guangzhou | ap-southeast-1 CN-Hong Kong | sa-argentina-1 LA-Buenos Aires1 |
  sa-peru-1 LA-Lima1 | na-mexico-1 LA-Mexico City1 | sa-chile-1 LA-Santiago2 | sa-brazil-1 LA-Sao Paulo1 |
  ru-northwest-2 RU-Moscow2
IBMCOS s3.*.cloud-object-storage.appdomain.cloud,s3.private.*.cloud-object-storage.appdomain.cloud: us US Cross Region |
  dal.us US Cross Region Dallas | wdc.us US Cross Region Washington DC | sjc.us US Cross Region San Jose | us-east US
  Region East | us-south US Region South | eu EU Cross Region | fra.eu EU Cross Region Frankfurt | mil.eu EU Cross
  Region Milan | ams.eu EU Cross Region Amsterdam | eu-gb Great Britain | eu-de EU Region DE | ap APAC Cross Regional |
  tok.ap APAC Cross Regional Tokyo | hkg.ap APAC Cross Regional Hong Kong | seo.ap APAC Cross Regional Seoul | jp-tok
  APAC Region Japan | au-syd APAC Region Australia | ams03 Amsterdam Single Site | che01 Chennai Single Site | mel01
  Melbourne Single Site | osl01 Oslo Single Site | tor01 Toronto Single Site | seo01 Seoul Single Site | mon01 Montreal
  Single Site | mex01 Mexico Single Site | sjc04 San Jose Single Site | mil01 Milan Single Site | hkg02 Hong Kong Single
  Site | par01 Paris Single Site | sng01 Singapore Single Site
ImpossibleCloud *.storage.impossibleapi.net *: eu-central-2 Frankfurt, Germany | eu-west-1 Amsterdam, Netherlands |
  eu-west-2 London, UK | eu-west-3 Paris, France | eu-east-1 Poznań, Poland | eu-north-1 Copenhagen, Denmark | us-east-1
  New York, USA
Intercolo *.i3storage.com *: de-fra Frankfurt, Germany
IONOS s3.*.ionoscloud.com: eu-central-1 Frankfurt, Germany
IONOS s3.*.ionoscloud.com *: eu-central-2 Berlin, Germany | eu-central-3 Berlin, Germany | eu-central-4 Frankfurt,
  Germany | eu-south-2 Logrono, Spain | us-central-1 Lenexa, USA
IONOS - *: de Frankfurt, Germany
Leviia *: s3.leviia.com The default
Liara *: storage.iran.liara.space The default
Linode *.linodeobjects.com: nl-ams-1 Amsterdam, NL | us-southeast-1 Atlanta, GA, US | in-maa-1 Chennai, IN | us-ord-1
  Chicago, IL, US | eu-central-1 Frankfurt, DE | id-cgk-1 Jakarta, ID | gb-lon-1 London 2, UK | us-lax-1 Los Angeles,
  CA, US | es-mad-1 Madrid, ES | us-mia-1 Miami, FL, US | it-mil-1 Milan, IT | us-east-1 Newark, NJ, US | jp-osa-1
  Osaka, JP | fr-par-1 Paris, FR | br-gru-1 Sao Paulo, BR | us-sea-1 Seattle, WA, US | ap-south-1 Singapore, SG |
  sg-sin-1 Singapore 2, SG | se-sto-1 Stockholm, SE | jp-tyo-1 Tokyo 3, JP | us-iad-10 Washington, DC, US
LyveCloud s3.*.{account_name}.lyve.seagate.com: us-west-1 US West 1 - California | eu-west-1 EU West 1 - Ireland
Magalu *.magaluobjects.com: br-se1 São Paulo, SP (BR) | br-ne1 Fortaleza, CE (BR)
Mega s3.*.megas4.com: eu-luxembourg-1 Luxembourg 1 | eu-luxembourg-2 Luxembourg 2 | eu-amsterdam-1 Amsterdam 1 |
  eu-amsterdam-2 Amsterdam 2 | eu-paris-1 Paris 1 | eu-paris-2 Paris 2 | eu-barcelona-1 Barcelona 1 | eu-barcelona-2
  Barcelona 2 | ca-montreal-1 Montreal 1 | ca-montreal-2 Montreal 2 | ca-vancouver-1 Vancouver 1 | ca-vancouver-2
  Vancouver 2 | ap-tokyo-1 Tokyo 1 | ap-tokyo-2 Tokyo 2
Outscale oos.*.outscale.com *: eu-west-2 Paris, France | us-east-2 New Jersey, USA | us-west-1 California, USA |
  cloudgouv-eu-west-1 SecNumCloud, Paris, France | ap-northeast-1 Tokyo, Japan
OVHcloud s3.*.io.cloud.ovh.net *: gra Gravelines, France | rbx Roubaix, France | sbg Strasbourg, France | eu-west-par
  Paris, France (3AZ) | de Frankfurt, Germany | uk London, United Kingdom | waw Warsaw, Poland | bhs Beauharnois, Canada
  | ca-east-tor Toronto, Canada | sgp Singapore | ap-southeast-syd Sydney, Australia | ap-south-mum Mumbai, India |
  rbx-archive Roubaix, France (Cold Archive)
OVHcloud s3.*.io.cloud.ovh.us *: us-east-va Vint Hill, Virginia, USA | us-west-or Hillsboro, Oregon, USA
Petabox *: s3.petabox.io US East (N. Virginia)
Petabox s3.*.petabox.io *: us-east-1 US East (N. Virginia) | eu-central-1 Europe (Frankfurt) | ap-southeast-1 Asia
  Pacific (Singapore) | me-south-1 Middle East (Bahrain) | sa-east-1 South America (São Paulo)
Qiniu s3-*.qiniucs.com *: cn-east-1 East China Region 1 | cn-east-2 East China Region 2 | cn-north-1 North China Region
  1 | cn-south-1 South China Region 1 | us-north-1 North America | ap-southeast-1 Southeast Asia Region 1 |
  ap-northeast-1 Northeast Asia Region 1
Rabata s3.*.rabata.io *: us-east-1 US East (N. Virginia) | eu-west-1 EU (Ireland) | eu-west-2 EU (London)
RackCorp *: s3.rackcorp.com Global (AnyCast)
RackCorp *.s3.rackcorp.com *: au Australia (all states) | au-nsw NSW, Sydney (Australia) | au-qld QLD, Brisbane
  (Australia) | au-vic VIC, Melbourne (Australia) | au-wa Perth (Australia) | ph Manila (Philippines) | th Bangkok
  (Thailand) | hk HK (Hong Kong) | mn Ulaanbaatar (Mongolia) | kg Bishkek (Kyrgyzstan) | id Jakarta (Indonesia) | jp
  Tokyo (Japan) | sg SG (Singapore) | de Frankfurt (Germany) | us USA (AnyCast) | us-east-1 New York (USA) | us-west-1
  Freemont (USA) | nz Auckland (New Zealand)
RackCorp - *: global Global CDN (All locations)
Scaleway s3.*.scw.cloud *: nl-ams Amsterdam, The Netherlands | fr-par Paris, France | pl-waw Warsaw, Poland
SeaweedFS *: localhost:8333 SeaweedFS S3 localhost
Selectel s3.*.storage.selcloud.ru *: ru-1 St. Petersburg | ru-3 St. Petersburg | ru-7 Moscow | gis-1 Moscow | kz-1
  Kazakhstan | uz-2 Uzbekistan
Servercore s3.*.storage.selcloud.ru *: ru-7 Moscow | gis-1 Moscow | ru-1 St. Petersburg
Servercore s3.*.srvstorage.uz *: uz-2 Tashkent, Uzbekistan
Servercore s3.*.srvstorage.kz *: kz-1 Almaty, Kazakhstan
Storj *: gateway.storjshare.io Global Hosted Gateway
Synology *.s3.synologyc2.net *: eu-001 Europe Region 1 | eu-002 Europe Region 2 | us-001 US Region 1 | us-002 US Region
  2 | tw-001 Asia (Taiwan)
TencentCOS cos.*.myqcloud.com: ap-beijing Beijing | ap-nanjing Nanjing | ap-shanghai Shanghai | ap-guangzhou Guangzhou |
  ap-chengdu Chengdu | ap-chongqing Chongqing | ap-hongkong Hong Kong (China) | ap-singapore Singapore | ap-mumbai
  Mumbai | ap-seoul Seoul | ap-bangkok Bangkok | ap-tokyo Tokyo | na-siliconvalley Silicon Valley | na-ashburn Virginia
  | na-toronto Toronto | eu-frankfurt Frankfurt | eu-moscow Moscow | accelerate Use Tencent COS Accelerate
US3 s3-*.ufileos.com: cn-bj North China (Beijing 2) | cn-wlcb North China (Ulanqab) | cn-sh2 Shanghai | cn-gd South
  China (Guangzhou) | hk Hongkong | us-ca United States (Los Angeles) | sg Singapore | idn-jakarta Indonesia (Jakarta) |
  tw-tp Taiwan (Taipei) | afr-nigeria Nigeria (Lagos) | bra-saopaulo Brazil (São Paulo) | uae-dubai United Arab Emirates
  (Dubai) | ge-fra Germany (Frankfurt) | vn-sng Vietnam (Ho Chi Minh City) | us-ws United States (Washington) |
  ind-mumbai India (Mumbai) | kr-seoul Seoul (South Korea) | jpn-tky Japan (Tokyo) | th-bkk Bangkok (Thailand) |
  uk-london United Kingdom (London) | rus-mosc Russia (Moscow) | cn-guiyang1 Guiyang 1 | pk-khi Pakistan
Wasabi *: s3.wasabisys.com US East 1 (N. Virginia)
Wasabi s3.*.wasabisys.com: us-east-2 US East 2 (N. Virginia) | us-central-1 US Central 1 (Texas) | us-west-1 US West 1
  (Oregon) | ca-central-1 CA Central 1 (Toronto) | eu-central-1 EU Central 1 (Amsterdam) | eu-central-2 EU Central 2
  (Frankfurt) | eu-west-1 EU West 1 (London) | eu-west-2 EU West 2 (Paris) | eu-south-1 EU South 1 (Milan) |
  ap-northeast-1 AP Northeast 1 (Tokyo) | ap-northeast-2 AP Northeast 2 (Osaka) | ap-southeast-1 AP Southeast 1
  (Singapore) | ap-southeast-2 AP Southeast 2 (Sydney)
Zadara - *: us-east-1 US East (Northern Virginia)
Zata *: idr01.zata.ai South Asia
Zata - *: us-east-1 Indore, Madhya Pradesh, India
ZeroServices *.s3.zeroservices.eu: fra1 Frankfurt 1 | fra Frankfurt 2 | eyl1 Eyl 1
ZeroServices - *: zero-fra1 Frankfurt 1 | zero-fra2 Frankfurt 2 | zero-eyl1 Eyl 1
`;

/** The endpoints or regions of all providers, as examples of the option. */
export function placesOf(option: 'endpoint' | 'region'): readonly OptionExample[] {
  const lines = PLACES.trim().replaceAll('\n  ', ' ').split('\n');
  return lines.flatMap((line) => {
    const colon = line.indexOf(': ');
    const [name = '', endpoints = '-', region = '-'] = line.slice(0, colon).split(' ');
    const forms = option === 'endpoint' ? endpoints : region;
    const places = line.slice(colon + 2).split(' | ');
    return forms === '-'
      ? []
      : forms.split(',').flatMap((form) =>
          places.map((place) => {
            const [code = '', ...words] = place.split(' ');
            if (form.includes('.private.')) words.push('Private');
            const help = `${words.join(' ')}.`;
            return { value: form.replace('*', code), help, provider: [name] };
          }),
        );
  });
}
