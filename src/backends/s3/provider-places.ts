import type { OptionExample } from '../../core/options.ts';

/** A provider's endpoints, each with its place: `Provider: host place | host place`; further lines are indented. */
const ENDPOINTS = `
Alibaba: oss-accelerate.aliyuncs.com Global Accelerate | oss-accelerate-overseas.aliyuncs.com Global Accelerate
  (outside mainland China) | oss-cn-hangzhou.aliyuncs.com East China 1 (Hangzhou) | oss-cn-shanghai.aliyuncs.com
  East China 2 (Shanghai) | oss-cn-qingdao.aliyuncs.com North China 1 (Qingdao) | oss-cn-beijing.aliyuncs.com North
  China 2 (Beijing) | oss-cn-zhangjiakou.aliyuncs.com North China 3 (Zhangjiakou) | oss-cn-huhehaote.aliyuncs.com
  North China 5 (Hohhot) | oss-cn-wulanchabu.aliyuncs.com North China 6 (Ulanqab) | oss-cn-shenzhen.aliyuncs.com
  South China 1 (Shenzhen) | oss-cn-heyuan.aliyuncs.com South China 2 (Heyuan) | oss-cn-guangzhou.aliyuncs.com South
  China 3 (Guangzhou) | oss-cn-chengdu.aliyuncs.com West China 1 (Chengdu) | oss-cn-hongkong.aliyuncs.com Hong Kong
  (Hong Kong) | oss-us-west-1.aliyuncs.com US West 1 (Silicon Valley) | oss-us-east-1.aliyuncs.com US East 1
  (Virginia) | oss-ap-southeast-1.aliyuncs.com Southeast Asia Southeast 1 (Singapore) |
  oss-ap-southeast-2.aliyuncs.com Asia Pacific Southeast 2 (Sydney) | oss-ap-southeast-3.aliyuncs.com Southeast Asia
  Southeast 3 (Kuala Lumpur) | oss-ap-southeast-5.aliyuncs.com Asia Pacific Southeast 5 (Jakarta) |
  oss-ap-northeast-1.aliyuncs.com Asia Pacific Northeast 1 (Japan) | oss-ap-south-1.aliyuncs.com Asia Pacific South
  1 (Mumbai) | oss-eu-central-1.aliyuncs.com Central Europe 1 (Frankfurt) | oss-eu-west-1.aliyuncs.com West Europe
  (London) | oss-me-east-1.aliyuncs.com Middle East 1 (Dubai)
ArvanCloud: s3.ir-thr-at1.arvanstorage.ir The default endpoint - a good choice if you are unsure |
  s3.ir-tbz-sh1.arvanstorage.ir Tabriz Iran (Shahriar)
BizflyCloud: hn.ss.bfcplatform.vn Hanoi | hcm.ss.bfcplatform.vn Ho Chi Minh
ChinaMobile: eos-wuxi-1.cmecloud.cn The default endpoint - a good choice if you are unsure | eos-jinan-1.cmecloud.cn
  East China (Jinan) | eos-ningbo-1.cmecloud.cn East China (Hangzhou) | eos-shanghai-1.cmecloud.cn East China
  (Shanghai-1) | eos-zhengzhou-1.cmecloud.cn Central China (Zhengzhou) | eos-hunan-1.cmecloud.cn Central China
  (Changsha-1) | eos-zhuzhou-1.cmecloud.cn Central China (Changsha-2) | eos-guangzhou-1.cmecloud.cn South China
  (Guangzhou-2) | eos-dongguan-1.cmecloud.cn South China (Guangzhou-3) | eos-beijing-1.cmecloud.cn North China
  (Beijing-1) | eos-beijing-2.cmecloud.cn North China (Beijing-2) | eos-beijing-4.cmecloud.cn North China
  (Beijing-3) | eos-huhehaote-1.cmecloud.cn North China (Huhehaote) | eos-chengdu-1.cmecloud.cn Southwest China
  (Chengdu) | eos-chongqing-1.cmecloud.cn Southwest China (Chongqing) | eos-guiyang-1.cmecloud.cn Southwest China
  (Guiyang) | eos-xian-1.cmecloud.cn Nouthwest China (Xian) | eos-yunnan.cmecloud.cn Yunnan China (Kunming) |
  eos-yunnan-2.cmecloud.cn Yunnan China (Kunming-2) | eos-tianjin-1.cmecloud.cn Tianjin China (Tianjin) |
  eos-jilin-1.cmecloud.cn Jilin China (Changchun) | eos-hubei-1.cmecloud.cn Hubei China (Xiangyan) |
  eos-jiangxi-1.cmecloud.cn Jiangxi China (Nanchang) | eos-gansu-1.cmecloud.cn Gansu China (Lanzhou) |
  eos-shanxi-1.cmecloud.cn Shanxi China (Taiyuan) | eos-liaoning-1.cmecloud.cn Liaoning China (Shenyang) |
  eos-hebei-1.cmecloud.cn Hebei China (Shijiazhuang) | eos-fujian-1.cmecloud.cn Fujian China (Xiamen) |
  eos-guangxi-1.cmecloud.cn Guangxi China (Nanning) | eos-anhui-1.cmecloud.cn Anhui China (Huainan)
Cubbit: s3.cubbit.eu Cubbit DS3 Object Storage | s3.{tenant_name}.cubbit.eu Multi-tenant endpoint - replace
  {tenant_name} with your actual tenant name. Do not select this directly
DigitalOcean: syd1.digitaloceanspaces.com DigitalOcean Spaces Sydney 1 | sfo3.digitaloceanspaces.com DigitalOcean
  Spaces San Francisco 3 | sfo2.digitaloceanspaces.com DigitalOcean Spaces San Francisco 2 |
  fra1.digitaloceanspaces.com DigitalOcean Spaces Frankfurt 1 | nyc3.digitaloceanspaces.com DigitalOcean Spaces New
  York 3 | ams3.digitaloceanspaces.com DigitalOcean Spaces Amsterdam 3 | sgp1.digitaloceanspaces.com DigitalOcean
  Spaces Singapore 1 | lon1.digitaloceanspaces.com DigitalOcean Spaces London 1 | tor1.digitaloceanspaces.com
  DigitalOcean Spaces Toronto 1 | blr1.digitaloceanspaces.com DigitalOcean Spaces Bangalore 1
Dreamhost: objects-us-east-1.dream.io Dream Objects
Fastly: au-east-1.object.fastlystorage.app AU East 1 | eu-central.object.fastlystorage.app EU Central |
  eu-south-1.object.fastlystorage.app EU South 1 | eu-west-1.object.fastlystorage.app EU West 1 |
  jp-central-1.object.fastlystorage.app JP Central 1 | uk-east-1.object.fastlystorage.app UK East 1 |
  us-central-1.object.fastlystorage.app US Central 1 | us-east.object.fastlystorage.app US East |
  us-east-1.object.fastlystorage.app US East 1 | us-west.object.fastlystorage.app US West |
  us-west-1.object.fastlystorage.app US West 1
FileLu: s5lu.com Global FileLu S5 | us.s5lu.com North America (US-East) region | eu.s5lu.com Europe (EU-Central)
  region | ap.s5lu.com Asia Pacific (AP-Southeast) region | me.s5lu.com Middle East (ME-Central) region
GCS: https://storage.googleapis.com Google Cloud Storage
Hetzner: hel1.your-objectstorage.com Helsinki | fsn1.your-objectstorage.com Falkenstein |
  nbg1.your-objectstorage.com Nuremberg
HuaweiOBS: obs.af-south-1.myhuaweicloud.com AF-Johannesburg | obs.ap-southeast-2.myhuaweicloud.com AP-Bangkok |
  obs.ap-southeast-3.myhuaweicloud.com AP-Singapore | obs.cn-east-3.myhuaweicloud.com CN East-Shanghai1 |
  obs.cn-east-2.myhuaweicloud.com CN East-Shanghai2 | obs.cn-north-1.myhuaweicloud.com CN North-Beijing1 |
  obs.cn-north-4.myhuaweicloud.com CN North-Beijing4 | obs.cn-south-1.myhuaweicloud.com CN South-Guangzhou |
  obs.ap-southeast-1.myhuaweicloud.com CN-Hong Kong | obs.sa-argentina-1.myhuaweicloud.com LA-Buenos Aires1 |
  obs.sa-peru-1.myhuaweicloud.com LA-Lima1 | obs.na-mexico-1.myhuaweicloud.com LA-Mexico City1 |
  obs.sa-chile-1.myhuaweicloud.com LA-Santiago2 | obs.sa-brazil-1.myhuaweicloud.com LA-Sao Paulo1 |
  obs.ru-northwest-2.myhuaweicloud.com RU-Moscow2
IBMCOS: s3.us.cloud-object-storage.appdomain.cloud US Cross Region | s3.dal.us.cloud-object-storage.appdomain.cloud
  US Cross Region Dallas | s3.wdc.us.cloud-object-storage.appdomain.cloud US Cross Region Washington DC |
  s3.sjc.us.cloud-object-storage.appdomain.cloud US Cross Region San Jose |
  s3.private.us.cloud-object-storage.appdomain.cloud US Cross Region Private |
  s3.private.dal.us.cloud-object-storage.appdomain.cloud US Cross Region Dallas Private |
  s3.private.wdc.us.cloud-object-storage.appdomain.cloud US Cross Region Washington DC Private |
  s3.private.sjc.us.cloud-object-storage.appdomain.cloud US Cross Region San Jose Private |
  s3.us-east.cloud-object-storage.appdomain.cloud US Region East |
  s3.private.us-east.cloud-object-storage.appdomain.cloud US Region East Private |
  s3.us-south.cloud-object-storage.appdomain.cloud US Region South |
  s3.private.us-south.cloud-object-storage.appdomain.cloud US Region South Private |
  s3.eu.cloud-object-storage.appdomain.cloud EU Cross Region | s3.fra.eu.cloud-object-storage.appdomain.cloud EU
  Cross Region Frankfurt | s3.mil.eu.cloud-object-storage.appdomain.cloud EU Cross Region Milan |
  s3.ams.eu.cloud-object-storage.appdomain.cloud EU Cross Region Amsterdam |
  s3.private.eu.cloud-object-storage.appdomain.cloud EU Cross Region Private |
  s3.private.fra.eu.cloud-object-storage.appdomain.cloud EU Cross Region Frankfurt Private |
  s3.private.mil.eu.cloud-object-storage.appdomain.cloud EU Cross Region Milan Private |
  s3.private.ams.eu.cloud-object-storage.appdomain.cloud EU Cross Region Amsterdam Private |
  s3.eu-gb.cloud-object-storage.appdomain.cloud Great Britain |
  s3.private.eu-gb.cloud-object-storage.appdomain.cloud Great Britain Private |
  s3.eu-de.cloud-object-storage.appdomain.cloud EU Region DE | s3.private.eu-de.cloud-object-storage.appdomain.cloud
  EU Region DE Private | s3.ap.cloud-object-storage.appdomain.cloud APAC Cross Regional |
  s3.tok.ap.cloud-object-storage.appdomain.cloud APAC Cross Regional Tokyo |
  s3.hkg.ap.cloud-object-storage.appdomain.cloud APAC Cross Regional Hong Kong |
  s3.seo.ap.cloud-object-storage.appdomain.cloud APAC Cross Regional Seoul |
  s3.private.ap.cloud-object-storage.appdomain.cloud APAC Cross Regional Private |
  s3.private.tok.ap.cloud-object-storage.appdomain.cloud APAC Cross Regional Tokyo Private |
  s3.private.hkg.ap.cloud-object-storage.appdomain.cloud APAC Cross Regional Hong Kong Private |
  s3.private.seo.ap.cloud-object-storage.appdomain.cloud APAC Cross Regional Seoul Private |
  s3.jp-tok.cloud-object-storage.appdomain.cloud APAC Region Japan |
  s3.private.jp-tok.cloud-object-storage.appdomain.cloud APAC Region Japan Private |
  s3.au-syd.cloud-object-storage.appdomain.cloud APAC Region Australia |
  s3.private.au-syd.cloud-object-storage.appdomain.cloud APAC Region Australia Private |
  s3.ams03.cloud-object-storage.appdomain.cloud Amsterdam Single Site |
  s3.private.ams03.cloud-object-storage.appdomain.cloud Amsterdam Single Site Private |
  s3.che01.cloud-object-storage.appdomain.cloud Chennai Single Site |
  s3.private.che01.cloud-object-storage.appdomain.cloud Chennai Single Site Private |
  s3.mel01.cloud-object-storage.appdomain.cloud Melbourne Single Site |
  s3.private.mel01.cloud-object-storage.appdomain.cloud Melbourne Single Site Private |
  s3.osl01.cloud-object-storage.appdomain.cloud Oslo Single Site |
  s3.private.osl01.cloud-object-storage.appdomain.cloud Oslo Single Site Private |
  s3.tor01.cloud-object-storage.appdomain.cloud Toronto Single Site |
  s3.private.tor01.cloud-object-storage.appdomain.cloud Toronto Single Site Private |
  s3.seo01.cloud-object-storage.appdomain.cloud Seoul Single Site |
  s3.private.seo01.cloud-object-storage.appdomain.cloud Seoul Single Site Private |
  s3.mon01.cloud-object-storage.appdomain.cloud Montreal Single Site |
  s3.private.mon01.cloud-object-storage.appdomain.cloud Montreal Single Site Private |
  s3.mex01.cloud-object-storage.appdomain.cloud Mexico Single Site |
  s3.private.mex01.cloud-object-storage.appdomain.cloud Mexico Single Site Private |
  s3.sjc04.cloud-object-storage.appdomain.cloud San Jose Single Site |
  s3.private.sjc04.cloud-object-storage.appdomain.cloud San Jose Single Site Private |
  s3.mil01.cloud-object-storage.appdomain.cloud Milan Single Site |
  s3.private.mil01.cloud-object-storage.appdomain.cloud Milan Single Site Private |
  s3.hkg02.cloud-object-storage.appdomain.cloud Hong Kong Single Site |
  s3.private.hkg02.cloud-object-storage.appdomain.cloud Hong Kong Single Site Private |
  s3.par01.cloud-object-storage.appdomain.cloud Paris Single Site |
  s3.private.par01.cloud-object-storage.appdomain.cloud Paris Single Site Private |
  s3.sng01.cloud-object-storage.appdomain.cloud Singapore Single Site |
  s3.private.sng01.cloud-object-storage.appdomain.cloud Singapore Single Site Private
ImpossibleCloud: eu-central-2.storage.impossibleapi.net Frankfurt, Germany | eu-west-1.storage.impossibleapi.net
  Amsterdam, Netherlands | eu-west-2.storage.impossibleapi.net London, UK | eu-west-3.storage.impossibleapi.net
  Paris, France | eu-east-1.storage.impossibleapi.net Poznań, Poland | eu-north-1.storage.impossibleapi.net
  Copenhagen, Denmark | us-east-1.storage.impossibleapi.net New York, USA
Intercolo: de-fra.i3storage.com Frankfurt, Germany
IONOS: s3.eu-central-1.ionoscloud.com Frankfurt, Germany | s3.eu-central-2.ionoscloud.com Berlin, Germany |
  s3.eu-central-3.ionoscloud.com Berlin, Germany | s3.eu-central-4.ionoscloud.com Frankfurt, Germany |
  s3.eu-south-2.ionoscloud.com Logrono, Spain | s3.us-central-1.ionoscloud.com Lenexa, USA
Leviia: s3.leviia.com The default
Liara: storage.iran.liara.space The default
Linode: nl-ams-1.linodeobjects.com Amsterdam, NL (nl-ams-1) | us-southeast-1.linodeobjects.com Atlanta, GA, US
  (us-southeast-1) | in-maa-1.linodeobjects.com Chennai, IN (in-maa-1) | us-ord-1.linodeobjects.com Chicago, IL, US
  (us-ord-1) | eu-central-1.linodeobjects.com Frankfurt, DE (eu-central-1) | id-cgk-1.linodeobjects.com Jakarta, ID
  (id-cgk-1) | gb-lon-1.linodeobjects.com London 2, UK (gb-lon-1) | us-lax-1.linodeobjects.com Los Angeles, CA, US
  (us-lax-1) | es-mad-1.linodeobjects.com Madrid, ES (es-mad-1) | us-mia-1.linodeobjects.com Miami, FL, US
  (us-mia-1) | it-mil-1.linodeobjects.com Milan, IT (it-mil-1) | us-east-1.linodeobjects.com Newark, NJ, US
  (us-east-1) | jp-osa-1.linodeobjects.com Osaka, JP (jp-osa-1) | fr-par-1.linodeobjects.com Paris, FR (fr-par-1) |
  br-gru-1.linodeobjects.com Sao Paulo, BR (br-gru-1) | us-sea-1.linodeobjects.com Seattle, WA, US (us-sea-1) |
  ap-south-1.linodeobjects.com Singapore, SG (ap-south-1) | sg-sin-1.linodeobjects.com Singapore 2, SG (sg-sin-1) |
  se-sto-1.linodeobjects.com Stockholm, SE (se-sto-1) | jp-tyo-1.linodeobjects.com Tokyo 3, JP (jp-tyo-1) |
  us-iad-10.linodeobjects.com Washington, DC, US (us-iad-10)
LyveCloud: s3.us-west-1.{account_name}.lyve.seagate.com US West 1 - California |
  s3.eu-west-1.{account_name}.lyve.seagate.com EU West 1 - Ireland
Magalu: br-se1.magaluobjects.com São Paulo, SP (BR), br-se1 | br-ne1.magaluobjects.com Fortaleza, CE (BR), br-ne1
Mega: s3.eu-luxembourg-1.megas4.com Mega S4 Luxembourg 1 | s3.eu-luxembourg-2.megas4.com Mega S4 Luxembourg 2 |
  s3.eu-amsterdam-1.megas4.com Mega S4 Amsterdam 1 | s3.eu-amsterdam-2.megas4.com Mega S4 Amsterdam 2 |
  s3.eu-paris-1.megas4.com Mega S4 Paris 1 | s3.eu-paris-2.megas4.com Mega S4 Paris 2 | s3.eu-barcelona-1.megas4.com
  Mega S4 Barcelona 1 | s3.eu-barcelona-2.megas4.com Mega S4 Barcelona 2 | s3.ca-montreal-1.megas4.com Mega S4
  Montreal 1 | s3.ca-montreal-2.megas4.com Mega S4 Montreal 2 | s3.ca-vancouver-1.megas4.com Mega S4 Vancouver 1 |
  s3.ca-vancouver-2.megas4.com Mega S4 Vancouver 2 | s3.ap-tokyo-1.megas4.com Mega S4 Tokyo 1 |
  s3.ap-tokyo-2.megas4.com Mega S4 Tokyo 2
Outscale: oos.eu-west-2.outscale.com Outscale EU West 2 (Paris) | oos.us-east-2.outscale.com Outscale US east 2 (New
  Jersey) | oos.us-west-1.outscale.com Outscale EU West 1 (California) | oos.cloudgouv-eu-west-1.outscale.com
  Outscale SecNumCloud (Paris) | oos.ap-northeast-1.outscale.com Outscale AP Northeast 1 (Japan)
OVHcloud: s3.gra.io.cloud.ovh.net OVHcloud Gravelines, France | s3.rbx.io.cloud.ovh.net OVHcloud Roubaix, France |
  s3.sbg.io.cloud.ovh.net OVHcloud Strasbourg, France | s3.eu-west-par.io.cloud.ovh.net OVHcloud Paris, France (3AZ)
  | s3.de.io.cloud.ovh.net OVHcloud Frankfurt, Germany | s3.uk.io.cloud.ovh.net OVHcloud London, United Kingdom |
  s3.waw.io.cloud.ovh.net OVHcloud Warsaw, Poland | s3.bhs.io.cloud.ovh.net OVHcloud Beauharnois, Canada |
  s3.ca-east-tor.io.cloud.ovh.net OVHcloud Toronto, Canada | s3.sgp.io.cloud.ovh.net OVHcloud Singapore |
  s3.ap-southeast-syd.io.cloud.ovh.net OVHcloud Sydney, Australia | s3.ap-south-mum.io.cloud.ovh.net OVHcloud
  Mumbai, India | s3.us-east-va.io.cloud.ovh.us OVHcloud Vint Hill, Virginia, USA | s3.us-west-or.io.cloud.ovh.us
  OVHcloud Hillsboro, Oregon, USA | s3.rbx-archive.io.cloud.ovh.net OVHcloud Roubaix, France (Cold Archive)
Petabox: s3.petabox.io US East (N. Virginia) | s3.us-east-1.petabox.io US East (N. Virginia) |
  s3.eu-central-1.petabox.io Europe (Frankfurt) | s3.ap-southeast-1.petabox.io Asia Pacific (Singapore) |
  s3.me-south-1.petabox.io Middle East (Bahrain) | s3.sa-east-1.petabox.io South America (São Paulo)
Qiniu: s3-cn-east-1.qiniucs.com East China Endpoint 1 | s3-cn-east-2.qiniucs.com East China Endpoint 2 |
  s3-cn-north-1.qiniucs.com North China Endpoint 1 | s3-cn-south-1.qiniucs.com South China Endpoint 1 |
  s3-us-north-1.qiniucs.com North America Endpoint 1 | s3-ap-southeast-1.qiniucs.com Southeast Asia Endpoint 1 |
  s3-ap-northeast-1.qiniucs.com Northeast Asia Endpoint 1
Rabata: s3.us-east-1.rabata.io US East (N. Virginia) | s3.eu-west-1.rabata.io EU West (Ireland) |
  s3.eu-west-2.rabata.io EU West (London)
RackCorp: s3.rackcorp.com Global (AnyCast) | au.s3.rackcorp.com Australia (Anycast) | au-nsw.s3.rackcorp.com Sydney
  (Australia) | au-qld.s3.rackcorp.com Brisbane (Australia) | au-vic.s3.rackcorp.com Melbourne (Australia) |
  au-wa.s3.rackcorp.com Perth (Australia) | ph.s3.rackcorp.com Manila (Philippines) | th.s3.rackcorp.com Bangkok
  (Thailand) | hk.s3.rackcorp.com HK (Hong Kong) | mn.s3.rackcorp.com Ulaanbaatar (Mongolia) | kg.s3.rackcorp.com
  Bishkek (Kyrgyzstan) | id.s3.rackcorp.com Jakarta (Indonesia) | jp.s3.rackcorp.com Tokyo (Japan) |
  sg.s3.rackcorp.com SG (Singapore) | de.s3.rackcorp.com Frankfurt (Germany) | us.s3.rackcorp.com USA (AnyCast) |
  us-east-1.s3.rackcorp.com New York (USA) | us-west-1.s3.rackcorp.com Freemont (USA) | nz.s3.rackcorp.com Auckland
  (New Zealand)
Scaleway: s3.nl-ams.scw.cloud Amsterdam | s3.fr-par.scw.cloud Paris | s3.pl-waw.scw.cloud Warsaw
SeaweedFS: localhost:8333 SeaweedFS S3 localhost
Selectel: s3.ru-1.storage.selcloud.ru St. Petersburg | s3.ru-3.storage.selcloud.ru St. Petersburg |
  s3.ru-7.storage.selcloud.ru Moscow | s3.gis-1.storage.selcloud.ru Moscow | s3.kz-1.storage.selcloud.ru Kazakhstan
  | s3.uz-2.storage.selcloud.ru Uzbekistan
Servercore: s3.ru-7.storage.selcloud.ru Moscow | s3.gis-1.storage.selcloud.ru Moscow | s3.ru-1.storage.selcloud.ru
  Saint Petersburg | s3.uz-2.srvstorage.uz Tashkent, Uzbekistan | s3.kz-1.srvstorage.kz Almaty, Kazakhstan
Storj: gateway.storjshare.io Global Hosted Gateway
Synology: eu-001.s3.synologyc2.net EU Endpoint 1 | eu-002.s3.synologyc2.net EU Endpoint 2 | us-001.s3.synologyc2.net
  US Endpoint 1 | us-002.s3.synologyc2.net US Endpoint 2 | tw-001.s3.synologyc2.net TW Endpoint 1
TencentCOS: cos.ap-beijing.myqcloud.com Beijing | cos.ap-nanjing.myqcloud.com Nanjing | cos.ap-shanghai.myqcloud.com
  Shanghai | cos.ap-guangzhou.myqcloud.com Guangzhou | cos.ap-chengdu.myqcloud.com Chengdu |
  cos.ap-chongqing.myqcloud.com Chongqing | cos.ap-hongkong.myqcloud.com Hong Kong (China) |
  cos.ap-singapore.myqcloud.com Singapore | cos.ap-mumbai.myqcloud.com Mumbai | cos.ap-seoul.myqcloud.com Seoul |
  cos.ap-bangkok.myqcloud.com Bangkok | cos.ap-tokyo.myqcloud.com Tokyo | cos.na-siliconvalley.myqcloud.com Silicon
  Valley | cos.na-ashburn.myqcloud.com Virginia | cos.na-toronto.myqcloud.com Toronto |
  cos.eu-frankfurt.myqcloud.com Frankfurt | cos.eu-moscow.myqcloud.com Moscow | cos.accelerate.myqcloud.com Use
  Tencent COS Accelerate
US3: s3-cn-bj.ufileos.com North China (Beijing 2) | s3-cn-wlcb.ufileos.com North China (Ulanqab) |
  s3-cn-sh2.ufileos.com Shanghai | s3-cn-gd.ufileos.com South China (Guangzhou) | s3-hk.ufileos.com Hongkong |
  s3-us-ca.ufileos.com United States (Los Angeles) | s3-sg.ufileos.com Singapore | s3-idn-jakarta.ufileos.com
  Indonesia (Jakarta) | s3-tw-tp.ufileos.com Taiwan (Taipei) | s3-afr-nigeria.ufileos.com Nigeria (Lagos) |
  s3-bra-saopaulo.ufileos.com Brazil (São Paulo) | s3-uae-dubai.ufileos.com United Arab Emirates (Dubai) |
  s3-ge-fra.ufileos.com Germany (Frankfurt) | s3-vn-sng.ufileos.com Vietnam (Ho Chi Minh City) |
  s3-us-ws.ufileos.com United States (Washington) | s3-ind-mumbai.ufileos.com India (Mumbai) |
  s3-kr-seoul.ufileos.com Seoul (South Korea) | s3-jpn-tky.ufileos.com Japan (Tokyo) | s3-th-bkk.ufileos.com Bangkok
  (Thailand) | s3-uk-london.ufileos.com United Kingdom (London) | s3-rus-mosc.ufileos.com Russia (Moscow) |
  s3-cn-guiyang1.ufileos.com Guiyang 1 | s3-pk-khi.ufileos.com Pakistan
Wasabi: s3.wasabisys.com Wasabi US East 1 (N. Virginia) | s3.us-east-2.wasabisys.com Wasabi US East 2 (N. Virginia)
  | s3.us-central-1.wasabisys.com Wasabi US Central 1 (Texas) | s3.us-west-1.wasabisys.com Wasabi US West 1 (Oregon)
  | s3.ca-central-1.wasabisys.com Wasabi CA Central 1 (Toronto) | s3.eu-central-1.wasabisys.com Wasabi EU Central 1
  (Amsterdam) | s3.eu-central-2.wasabisys.com Wasabi EU Central 2 (Frankfurt) | s3.eu-west-1.wasabisys.com Wasabi EU
  West 1 (London) | s3.eu-west-2.wasabisys.com Wasabi EU West 2 (Paris) | s3.eu-south-1.wasabisys.com Wasabi EU
  South 1 (Milan) | s3.ap-northeast-1.wasabisys.com Wasabi AP Northeast 1 (Tokyo) | s3.ap-northeast-2.wasabisys.com
  Wasabi AP Northeast 2 (Osaka) | s3.ap-southeast-1.wasabisys.com Wasabi AP Southeast 1 (Singapore) |
  s3.ap-southeast-2.wasabisys.com Wasabi AP Southeast 2 (Sydney)
Zata: idr01.zata.ai South Asia
ZeroServices: fra1.s3.zeroservices.eu Frankfurt 1 | fra.s3.zeroservices.eu Frankfurt 2 | eyl1.s3.zeroservices.eu Eyl
  1
`;

/** A provider's regions, in the same form. */
const REGIONS = `
AWS: us-east-1 US East (Northern Virginia) | us-east-2 US East (Ohio) | us-west-1 US West (Northern California) |
  us-west-2 US West (Oregon) | ca-central-1 Canada (Central) | eu-west-1 EU (Ireland) | eu-west-2 EU (London) |
  eu-west-3 EU (Paris) | eu-north-1 EU (Stockholm) | eu-south-1 EU (Milan) | eu-central-1 EU (Frankfurt) |
  ap-southeast-1 Asia Pacific (Singapore) | ap-southeast-2 Asia Pacific (Sydney) | ap-northeast-1 Asia Pacific
  (Tokyo) | ap-northeast-2 Asia Pacific (Seoul) | ap-northeast-3 Asia Pacific (Osaka-Local) | ap-south-1 Asia
  Pacific (Mumbai) | ap-east-1 Asia Pacific (Hong Kong) | sa-east-1 South America (Sao Paulo) | il-central-1 Israel
  (Tel Aviv) | me-south-1 Middle East (Bahrain) | af-south-1 Africa (Cape Town) | cn-north-1 China (Beijing) |
  cn-northwest-1 China (Ningxia) | us-gov-east-1 AWS GovCloud (US-East) | us-gov-west-1 AWS GovCloud (US)
BizflyCloud: hn Ha Noi | hcm Ho Chi Minh
Cloudflare: auto R2 buckets are automatically distributed across Cloudflare's data centers for low latency
Cubbit: eu-west-1 Europe West
Fastly: au-east-1 AU East 1 | eu-central EU Central | eu-south-1 EU South 1 | eu-west-1 EU West 1 | jp-central-1 JP
  Central 1 | uk-east-1 UK East 1 | us-central-1 US Central 1 | us-east US East | us-east-1 US East 1 | us-west US
  West | us-west-1 US West 1
FileLu: global Global | us-east North America (US-East) | eu-central Europe (EU-Central) | ap-southeast Asia Pacific
  (AP-Southeast) | me-central Middle East (ME-Central)
Hetzner: hel1 Helsinki | fsn1 Falkenstein | nbg1 Nuremberg
HuaweiOBS: af-south-1 AF-Johannesburg | ap-southeast-2 AP-Bangkok | ap-southeast-3 AP-Singapore | cn-east-3 CN
  East-Shanghai1 | cn-east-2 CN East-Shanghai2 | cn-north-1 CN North-Beijing1 | cn-north-4 CN North-Beijing4 |
  cn-south-1 CN South-Guangzhou | ap-southeast-1 CN-Hong Kong | sa-argentina-1 LA-Buenos Aires1 | sa-peru-1 LA-Lima1
  | na-mexico-1 LA-Mexico City1 | sa-chile-1 LA-Santiago2 | sa-brazil-1 LA-Sao Paulo1 | ru-northwest-2 RU-Moscow2
ImpossibleCloud: eu-central-2 Frankfurt, Germany | eu-west-1 Amsterdam, Netherlands | eu-west-2 London, UK |
  eu-west-3 Paris, France | eu-east-1 Poznań, Poland | eu-north-1 Copenhagen, Denmark | us-east-1 New York, USA
Intercolo: de-fra Frankfurt, Germany
IONOS: de Frankfurt, Germany | eu-central-2 Berlin, Germany | eu-central-3 Berlin, Germany | eu-central-4 Frankfurt,
  Germany | eu-south-2 Logrono, Spain | us-central-1 Lenexa, USA
Outscale: eu-west-2 Paris, France | us-east-2 New Jersey, USA | us-west-1 California, USA | cloudgouv-eu-west-1
  SecNumCloud, Paris, France | ap-northeast-1 Tokyo, Japan
OVHcloud: de Frankfurt, Germany | gra Gravelines, France | rbx Roubaix, France | sbg Strasbourg, France |
  eu-west-par Paris, France (3AZ) | uk London, United Kingdom | waw Warsaw, Poland | bhs Beauharnois, Canada |
  ca-east-tor Toronto, Canada | sgp Singapore | ap-southeast-syd Sydney, Australia | ap-south-mum Mumbai, India |
  us-east-va Vint Hill, Virginia, USA | us-west-or Hillsboro, Oregon, USA | rbx-archive Roubaix, France (Cold
  Archive)
Petabox: us-east-1 US East (N. Virginia) | eu-central-1 Europe (Frankfurt) | ap-southeast-1 Asia Pacific (Singapore)
  | me-south-1 Middle East (Bahrain) | sa-east-1 South America (São Paulo)
Qiniu: cn-east-1 The default endpoint - a good choice if you are unsure | cn-east-2 East China Region 2 | cn-north-1
  North China Region 1 | cn-south-1 South China Region 1 | us-north-1 North America | ap-southeast-1 Southeast Asia
  Region 1 | ap-northeast-1 Northeast Asia Region 1
Rabata: us-east-1 US East (N. Virginia) | eu-west-1 EU (Ireland) | eu-west-2 EU (London)
RackCorp: global Global CDN (All locations) | au Australia (All states) | au-nsw NSW (Australia) | au-qld QLD
  (Australia) | au-vic VIC (Australia) | au-wa Perth (Australia) | ph Manila (Philippines) | th Bangkok (Thailand) |
  hk HK (Hong Kong) | mn Ulaanbaatar (Mongolia) | kg Bishkek (Kyrgyzstan) | id Jakarta (Indonesia) | jp Tokyo
  (Japan) | sg SG (Singapore) | de Frankfurt (Germany) | us USA (AnyCast) | us-east-1 New York (USA) | us-west-1
  Freemont (USA) | nz Auckland (New Zealand)
Scaleway: nl-ams Amsterdam, The Netherlands | fr-par Paris, France | pl-waw Warsaw, Poland
Selectel: ru-1 St. Petersburg | ru-3 St. Petersburg | ru-7 Moscow | gis-1 Moscow | kz-1 Kazakhstan | uz-2 Uzbekistan
Servercore: ru-1 St. Petersburg | ru-7 Moscow | gis-1 Moscow | uz-2 Tashkent, Uzbekistan | kz-1 Almaty, Kazakhstan
Synology: eu-001 Europe Region 1 | eu-002 Europe Region 2 | us-001 US Region 1 | us-002 US Region 2 | tw-001 Asia
  (Taiwan)
Zadara: us-east-1 US East (Northern Virginia)
Zata: us-east-1 Indore, Madhya Pradesh, India
ZeroServices: zero-fra1 Frankfurt 1 | zero-fra2 Frankfurt 2 | zero-eyl1 Eyl 1
`;

/** The endpoints or regions of all providers, as examples of the option. */
export function placesOf(option: 'endpoint' | 'region'): readonly OptionExample[] {
  const text = option === 'endpoint' ? ENDPOINTS : REGIONS;
  const lines = text.trim().replaceAll('\n  ', ' ').split('\n');
  return lines.flatMap((line) => {
    const colon = line.indexOf(': ');
    const provider = [line.slice(0, colon)];
    return line
      .slice(colon + 2)
      .split(' | ')
      .map((place) => {
        const [value = '', ...help] = place.split(' ');
        return { value, help: help.length === 0 ? '' : `${help.join(' ')}.`, provider };
      });
  });
}
